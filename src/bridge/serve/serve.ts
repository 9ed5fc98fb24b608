/**
 * Serves one account of a channel: updates go into the journal, through the queues of conversations to the agents, and
 * answers through the outbox to the channel. Everything ends with the scope.
 */
import { Cause, Effect, Schedule, type Scope } from "effect"
import { eventually } from "../../contract/Input.ts"
import type { OnInterrupted } from "../../contract/Sessions.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { UsageQuery, UsageReport } from "../../contract/Usage.ts"
import type { History } from "../../conversations/history/History.ts"
import { isAtLeast } from "../access/AccessOptions.ts"
import { accessOf } from "../access/checkAccess.ts"
import { makeAccess } from "../access/makeAccess.ts"
import { makePairing } from "../access/pairing.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import { onceCommandIn } from "../commands/parse.ts"
import { showMissing } from "../delivery/asking.ts"
import { makeNewest } from "../delivery/attempt.ts"
import { deliverOutbox, makeSignal } from "../delivery/deliverOutbox.ts"
import { makePacer } from "../delivery/pacer.ts"
import { takeReceipt } from "../delivery/receipts.ts"
import { removeCopy } from "../gateway/copies.ts"
import type { Outlet } from "../gateway/gatewayContext.ts"
import { sideEffectsOf } from "../gateway/sideEffects.ts"
import type { Journal } from "../journal/Journal.ts"
import type { OutboxRow } from "../journal/outbox.ts"
import type { Channel } from "../messages/Channel.ts"
import type { ChannelMessage, Sender } from "../messages/ChannelMessage.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { ServeError } from "../ServeError.ts"
import { texts } from "../texts.ts"
import type { Core, Surroundings } from "../turn/core.ts"
import { payloadsOf } from "../turn/outcome.ts"
import { makeAgentRequests, rulesOf } from "./agentRequests.ts"
import { makeQueueUpdates, messageUpdates, servedUpdate } from "./channelUpdates.ts"
import { makeChatKinds, makeChatMemory } from "./chatMemory.ts"
import { makeCommandRunner, makeCommands } from "./commandRunner.ts"
import { type ConversationQueues, makeConversationQueues, makePlaceRequests } from "./conversationQueues.ts"
import { makeDirect } from "./direct.ts"
import { makeFiles } from "./files.ts"
import { makeGateway } from "./gateway.ts"
import { makeIncoming } from "./incoming.ts"
import { listen } from "./listen.ts"
import { makePause } from "./pause.ts"
import { makeInterrupted, makePresses, makeSettledButtons, showPresses } from "./presses.ts"
import { makeQuestions } from "./questions.ts"
import { makeQueuedNotices } from "./queuedNotices.ts"
import { makeRecords } from "./records.ts"
import { heldNotice, type JournalFailure, makeReplies } from "./replies.ts"
import { lineIn, makeSessionPicker } from "./resumeLines.ts"
import { makeRunningTurns, makeSteering, makeTurnInterrupts } from "./runningTurns.ts"
import { makeScheduling } from "./scheduling.ts"
import { settingsPresses } from "./settingsPresses.ts"
import { makeTurnObserver } from "./turnObserver.ts"
import { makeTurnProgress, stopPresses } from "./turnProgress.ts"
import { makeTurns } from "./turns.ts"

interface ServeOptions {
  readonly options: CheckedOptions
  readonly journal: Journal["Service"]
  readonly core: Core
  /** Registers the account's additions to the turns of its conversations, until the scope closes. */
  readonly surround: (surroundings: Surroundings) => Effect.Effect<void, never, Scope.Scope>
  readonly history: History
  readonly usage: (query: UsageQuery) => Effect.Effect<UsageReport, StoreError>
  /** The outlet of the account of a conversation; undefined if it is not served. */
  readonly outletOf: (conversation: Conversation) => Outlet | undefined
  /** The host is about to end: no turns are started. */
  readonly isDraining: () => boolean
}

export const serveChannel = Effect.fnUntraced(function* (
  channel: Channel,
  { options, journal: journals, core, history, usage, surround, outletOf, isDraining }: ServeOptions
): Effect.fn.Return<never, ServeError, Scope.Scope> {
  const journal = yield* journals.own(channel.id, channel.accountId)
  const signal = makeSignal()
  const replies = makeReplies(channel, journal, signal.ring)
  const pacer = yield* makePacer(channel.limits.pace, { onHeld: heldNotice(channel, replies) })
  const newest = makeNewest(journal)
  const chatKinds = makeChatKinds()
  const { watch: update } = channel
  const defaultsOf = ({ chatId }: Conversation) =>
    Object.hasOwn(options.chats, chatId) ? options.chats[chatId] : undefined
  const chats = makeChatMemory(journal, defaultsOf, (conversation, { planMode: _, ...chosen }) =>
    update === undefined ? Effect.void : update({ _tag: "Chosen", conversation, chosen })
  )
  const account = { channel: channel.id, accountId: channel.accountId }
  const { pair } = options
  const pairing = pair && (yield* makePairing())
  const access = yield* makeAccess<JournalFailure>({
    options: accessOf(options.access, account),
    ...{ channel, memory: journal, pairing }
  })
  if (pairing !== undefined) {
    yield* eventually(() => pair?.(pairing.code, account)).pipe(
      Effect.catchCause(() => Effect.logWarning("the pairing code could not be shown"))
    )
  }
  const roleOf = ({ conversation, sender, chat }: ChannelMessage) =>
    access.roleOf({ conversation, sender, chat }) ?? "user"
  const reportServed = servedUpdate(update, options, access)
  const files = yield* makeFiles(channel)
  const scope = yield* Effect.scope
  const decisions = new Map<string, OnInterrupted>()
  const runningTurns = makeRunningTurns()
  const inBackground = <A>(work: Effect.Effect<A>) => Effect.forkIn(work, scope, { startImmediately: true })
  const chatOf = (conversation: Conversation) =>
    chatKinds.of(conversation) ?? (access.isGroup(conversation.chatId) ? "group" : "direct")
  const direct = makeDirect(channel, pacer, chatOf)
  const hasButtons = channel.limits.buttons.most >= 3
  const scheduling = makeScheduling({
    ...{ journal, replies, hasButtons, chatOf, gateway: options.gateway },
    roleOf: (id, conversation) => access.roleOf({ conversation, sender: { id }, chat: chatOf(conversation) }),
    wake: (conversation) => queues.wake(conversation)
  })
  const questions = yield* makeQuestions(journal, direct.edit, (message, role) => incoming.take(message, role))
  yield* questions.afterRestart
  const gateway = yield* makeGateway({
    ...{ channel, journal, outletOf, turnOf: runningTurns.of, options: options.gateway, onPut: signal.ring },
    onAsk: questions.note,
    askSchedule: scheduling.ask
  })
  const mayAnswer = (conversation: Conversation, sender: Sender) => {
    const role = access.roleOf({ conversation, sender, chat: chatOf(conversation) })
    return role !== undefined && isAtLeast(role, "approver")
  }
  const defaultProgress = channel.edit === undefined ? "off" : "edit"
  const progressOf = (conversation: Conversation) =>
    update !== undefined ? "off" : (defaultsOf(conversation)?.progress ?? options.progress ?? defaultProgress)
  const progress = yield* makeTurnProgress(direct, journal, progressOf, hasButtons)
  yield* progress.afterRestart
  const requests = yield* makeAgentRequests(channel, journal, direct, files.write, mayAnswer)
  yield* requests.afterRestart

  const { interrupt, stoppable } = makeTurnInterrupts(core)
  yield* surround({
    outlet: gateway.outlet,
    settings: chats.get,
    tools: gateway.tools,
    directories: files.directories,
    approvals: (settings) => rulesOf(options.approvals, settings),
    onEvent: (conversation, session, event) => {
      const turn = runningTurns.of(conversation)
      const handled = requests.event(conversation, turn?.id ?? "own", session, event)
      const named = turn === undefined && update !== undefined ? requests.named(session, event) : event
      // Outside turns only requests are reported: the answer of an agent's own turn comes by `onOwnTurn`.
      if (named === event || update === undefined) return handled
      return Effect.andThen(handled, update({ _tag: "Event", conversation, turnId: undefined, event: named }))
    },
    onEnd: requests.ended,
    begin: (message, id) =>
      Effect.sync(() => {
        const { conversation, sender } = message
        runningTurns.begin(conversation, { id, person: sender.id, role: roleOf(message) })
        return Effect.suspend(() => {
          runningTurns.end(conversation)
          return sideEffectsOf(journal, id)
        })
      }),
    onOwnTurn: (conversation, outcome) => {
      // As an answer: these are the agent's words, not a notice of the bridge.
      const pieces = payloadsOf(outcome).flatMap((payload) =>
        replies.pieces(conversation, payload, { key: `own/${crypto.randomUUID()}`, kind: "answer" })
      )
      return Effect.andThen(journal.outbox.put(pieces), replies.wake).pipe(
        Effect.catch((error) => Effect.logWarning(`the answer of an agent's own turn is lost: ${error.message}`))
      )
    },
    changed: reportServed,
    relist: (lists) => access.relist(accessOf(lists, account))
  })

  const notices =
    update === undefined
      ? yield* makeQueuedNotices(journal, direct, hasButtons, interrupt)
      : makeQueueUpdates(update, journal, interrupt)
  const wakeAll = Effect.gen(function* () {
    const open = new Set((yield* journal.inbox.open).map(({ conversation }) => conversation))
    yield* Effect.forEach(open, (conversation) => queues.wake(conversation), { discard: true })
  })
  const pause = makePause({ core, onRestart: options.onRestart, wakeAll: Effect.ignore(wakeAll) })
  const pauseNotice = () => {
    if (isDraining()) return { id: "end", text: texts.waitsForStart }
    const number = pause.current()
    return number === undefined ? undefined : { id: String(number), text: texts.waitsForPause }
  }
  const interrupted = makeInterrupted(journal, decisions, (conversation) => queues.wake(conversation))
  const observe = yield* makeTurnObserver({
    ...{ options, channel, pacer, journal, core, chats, runningTurns, progress, scheduling, named: requests.named }
  })
  const agents = Object.keys(options.agents)
  const named = (message: ChannelMessage) => onceCommandIn(message, roleOf(message), agents)
  const placeRequests = yield* makePlaceRequests(core.places)
  const turns = makeTurns({
    ...{ journal, core, replies, channel, files, decisions, hasButtons, named, roleOf, observe, stoppable },
    limit: channel.limits.text,
    pick: makeSessionPicker(history, core),
    isPaused: () => pauseNotice() !== undefined,
    onTaken: (text, updateIds) => notices.end(text, updateIds, "taken"),
    placeRequests,
    onWaitingForPlace: notices.add,
    isCollecting: () => options.whileBusy === "collect",
    onInterrupted: options.onInterrupted
  })
  const queues: ConversationQueues = yield* makeConversationQueues(turns, (cause) =>
    Effect.logWarning("a conversation waits after a failure", Cause.squash(cause))
  )

  const execute = makeCommands({
    ...{ options, core, journal, chats, pause, notices, interrupt, turnOf: runningTurns.of },
    isWaitingForPlace: placeRequests.isWaiting,
    records: makeRecords({ channel, core, files, history, usage, zone: options.gateway.zone }),
    inBackground: (work) => Effect.asVoid(inBackground(work))
  })
  const settleButtons = makeSettledButtons(journal, direct.edit)
  const incoming = makeIncoming({
    ...{ options, channel, journal, access, replies },
    onMessage: (message) => {
      chatKinds.note(message)
      const { conversation, messageId } = message
      return messageId === undefined ? Effect.void : newest.heard(conversation, messageId)
    },
    runCommand: makeCommandRunner({ execute, replies, inBackground, inbox: journal.inbox }),
    onPress: makePresses(
      channel,
      (pressed, word) => inBackground(settleButtons(pressed, word)),
      requests.press,
      [
        showPresses(journal, signal.ring),
        stopPresses(runningTurns.of, interrupt),
        interrupted.press,
        scheduling.press,
        questions.press,
        notices.press,
        settingsPresses({
          ...{ chats, agents, execute, close: core.close },
          directories: () => Object.keys(options.directories)
        })
      ],
      inBackground
    ),
    onQueued: notices.add,
    onWithdrawn: notices.removeStale,
    onOutcome: messageUpdates(update),
    pauseNotice,
    answerRequest: Effect.fnUntraced(function* (message, role) {
      yield* questions.closeBy(message)
      if (yield* requests.text(message)) return true
      if (yield* scheduling.text(message, role)) return true
      if (yield* interrupted.text(message)) return true
      if (!/^\s*show\s*$/i.test(message.text)) return false
      const result = yield* showMissing(journal, message.conversation, undefined)
      yield* signal.ring
      return result !== "nothing"
    }),
    interrupt,
    arrival: makeSteering({
      ...{ isDraining, core, runningTurns, inBackground, inbox: journal.inbox, isOfTurn: progress.isOf },
      policy: () => options.whileBusy,
      onSteering: (message) => messageUpdates(update)(message, "steering"),
      standsAlone: (message) => named(message) !== undefined || lineIn(message.text) !== undefined
    }),
    receipt: (receipt) => Effect.andThen(takeReceipt({ journal, channel }, receipt), signal.ring),
    wake: queues.wake
  })

  yield* reportServed
  yield* wakeAll
  yield* incoming.afterRestart
  yield* Effect.andThen(Effect.ignore(journal.blankOld), files.sweep).pipe(
    Effect.repeat(Schedule.spaced("1 day")),
    Effect.forkScoped
  )
  const listening = listen(channel.incoming(yield* journal.marks.get("incoming")), incoming)
  /** Removes the copy of a file that is not needed any more. */
  const removeFile = ({ piece: { file } }: OutboxRow) =>
    file === undefined || gateway.copies === undefined ? Effect.void : removeCopy(gateway.copies, file)
  const delivering = deliverOutbox({
    ...{ journal, channel, pacer, newest, signal, chatOf, onUnknown: options.onUnknown },
    onSent: removeFile,
    onFailed: removeFile
  })
  return yield* Effect.raceAllFirst([
    Effect.andThen(listening, Effect.never),
    delivering,
    scheduling.running,
    journal.lost
  ])
})
