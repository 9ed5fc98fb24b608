/**
 * One account of a channel, served: what it hears goes into the journal, from there by lanes to the agents, and what comes
 * of it through the outbox back to the channel. Everything that is begun here ends with the scope.
 */
import { Cause, Effect, Schedule, type Scope } from "effect"
import { eventually } from "../../contract/eventually.ts"
import type { OnInterrupted } from "../../contract/Sessions.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { UsageQuery, UsageReport } from "../../contract/Usage.ts"
import type { History } from "../../conversations/history/History.ts"
import { isAtLeast } from "../access/AccessOptions.ts"
import { accessOf } from "../access/checkAccess.ts"
import { makeAccess } from "../access/makeAccess.ts"
import { makePairing } from "../access/pairing.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import { onceIn } from "../commands/onceIn.ts"
import { makeNewest } from "../delivery/attempt.ts"
import { deliverOutbox, makeSignal } from "../delivery/deliverOutbox.ts"
import { makePacer } from "../delivery/pacer.ts"
import { takeReceipt } from "../delivery/receipts.ts"
import { showMissing } from "../delivery/showMissing.ts"
import { removeCopy } from "../gateway/copies.ts"
import type { Outlet } from "../gateway/gatewayContext.ts"
import { sideEffectsOf } from "../gateway/sideEffects.ts"
import type { Journal } from "../journal/Journal.ts"
import type { OutboxRow } from "../journal/outbox.ts"
import type { Channel, Heard } from "../messages/Channel.ts"
import type { ChannelMessage, Sender } from "../messages/ChannelMessage.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { ServeError } from "../ServeError.ts"
import { texts } from "../texts.ts"
import type { Core, Surroundings } from "../turn/core.ts"
import { payloadsOf } from "../turn/outcome.ts"
import { makeChatKinds } from "./chatKinds.ts"
import { makeChatMemory } from "./chatMemory.ts"
import { makeChoosing } from "./choosing.ts"
import { makeClaims } from "./claims.ts"
import { makeCommanding } from "./commanding.ts"
import { makeControl } from "./control.ts"
import { makeDirect } from "./direct.ts"
import { makeFiles } from "./files.ts"
import { makeGateway } from "./gateway.ts"
import { makeHeard } from "./heard.ts"
import { heldNotice } from "./heldNotice.ts"
import { type Lanes, makeLanes } from "./lanes.ts"
import { listen } from "./listening.ts"
import { makePausing } from "./pausing.ts"
import { makeInterrupted, makePresses, showPresses } from "./presses.ts"
import { makeTurnProgress, stopPresses } from "./progress.ts"
import { makeQuestions } from "./questions.ts"
import { makeQueued } from "./queued.ts"
import { makeRecords } from "./records.ts"
import { makeRequests } from "./requests.ts"
import { lineIn, makeResuming } from "./resuming.ts"
import { rulesOf } from "./rules.ts"
import { makeScheduling } from "./scheduling.ts"
import { makeSettledButtons } from "./settledButtons.ts"
import { makeQueuedSights, tellMessage } from "./sights.ts"
import { makeSteering } from "./steering.ts"
import { makeStopping } from "./stopping.ts"
import { makeTurns } from "./turns.ts"
import { makeUnderWay } from "./underWay.ts"
import { type JournalFailure, makeVoice } from "./voice.ts"
import { makeWatching } from "./watching.ts"

export interface ServeOptions {
  readonly options: CheckedOptions
  readonly journal: Journal["Service"]
  readonly core: Core
  /** Makes the account's part of its conversations' turns known, until the scope closes. */
  readonly surround: (surroundings: Surroundings) => Effect.Effect<void, never, Scope.Scope>
  readonly history: History
  readonly usage: (query: UsageQuery) => Effect.Effect<UsageReport, StoreError>
  /** How to write to an account that is served now. */
  readonly outletOf: (conversation: Conversation) => Outlet | undefined
  /** The host is about to end: nothing new is begun. */
  readonly isDraining: () => boolean
}

/** After a failure of the store, what was heard is tried again. */
const trouble = "1 second"

export const serveChannel = Effect.fnUntraced(function* (
  channel: Channel,
  { options, journal: journals, core, history, usage, surround, outletOf, isDraining }: ServeOptions
): Effect.fn.Return<never, ServeError, Scope.Scope> {
  const journal = yield* journals.own(channel.id, channel.accountId)
  const signal = makeSignal()
  const voice = makeVoice(channel, journal, signal.ring)
  const pacer = yield* makePacer(channel.limits.pace, { onHeld: heldNotice(channel, voice) })
  const newest = makeNewest(journal)
  const chatKinds = makeChatKinds()
  const { watch: sight } = channel
  const defaultsOf = ({ chatId }: Conversation) =>
    Object.hasOwn(options.chats, chatId) ? options.chats[chatId] : undefined
  const chats = makeChatMemory(journal, defaultsOf, (conversation, { planMode: _, ...chosen }) =>
    sight === undefined ? Effect.void : sight({ _tag: "Chosen", conversation, chosen })
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
      Effect.catchCause(() => Effect.logWarning("nobody was shown the code for pairing"))
    )
  }
  const files = yield* makeFiles(channel)
  const scope = yield* Effect.scope
  const wanted = new Map<string, OnInterrupted>()
  const underWay = makeUnderWay()
  const later = <A>(work: Effect.Effect<A>) => Effect.forkIn(work, scope, { startImmediately: true })
  const chatOf = (conversation: Conversation) =>
    chatKinds.of(conversation) ?? (access.isGroup(conversation.chatId) ? "group" : "direct")
  const direct = makeDirect(channel, pacer, chatOf)
  const hasButtons = channel.limits.buttons.most >= 3
  const scheduling = makeScheduling({
    ...{ journal, voice, hasButtons, chatOf, gateway: options.gateway },
    roleOf: (id, conversation) => access.roleOf({ conversation, sender: { id }, chat: chatOf(conversation) }),
    wake: (conversation) => lanes.wake(conversation)
  })
  const questions = yield* makeQuestions(journal, direct.edit, (message, role) => heard.take(message, role))
  yield* questions.afterRestart
  const gateway = yield* makeGateway({
    ...{ channel, journal, outletOf, turnOf: underWay.of, options: options.gateway, onPut: signal.ring },
    onAsk: questions.note,
    askSchedule: scheduling.ask
  })
  const mayAnswer = (conversation: Conversation, sender: Sender) => {
    const role = access.roleOf({ conversation, sender, chat: chatOf(conversation) })
    return role !== undefined && isAtLeast(role, "approver")
  }
  const usualProgress = channel.edit === undefined ? "off" : "edit"
  const progressOf = (conversation: Conversation) =>
    sight !== undefined ? "off" : (defaultsOf(conversation)?.progress ?? options.progress ?? usualProgress)
  const progress = yield* makeTurnProgress(direct, journal, progressOf, hasButtons)
  yield* progress.afterRestart
  const requests = yield* makeRequests(channel, journal, direct, files.write, mayAnswer)
  yield* requests.afterRestart

  const { interrupt, stoppable } = makeStopping(core)
  yield* surround({
    outlet: gateway.outlet,
    settings: chats.get,
    tools: gateway.tools,
    directories: files.directories,
    approvals: (settings) => rulesOf(options.approvals, settings),
    onEvent: (conversation, session, event) => {
      const turn = underWay.of(conversation)
      const asked = requests.event(conversation, turn?.id ?? "own", session, event)
      const named = turn === undefined && sight !== undefined ? requests.named(session, event) : event
      // Of an agent that goes on by itself, people see what it asks; its answer comes by itself, too.
      if (named === event || sight === undefined) return asked
      return Effect.andThen(asked, sight({ _tag: "Event", conversation, turnId: undefined, event: named }))
    },
    onEnd: requests.ended,
    begin: ({ conversation, sender, chat }, id) =>
      Effect.sync(() => {
        const role = access.roleOf({ conversation, sender, chat }) ?? "user"
        underWay.begin(conversation, { id, person: sender.id, role })
        return Effect.suspend(() => {
          underWay.end(conversation)
          return sideEffectsOf(journal, id)
        })
      }),
    onOwnTurn: (conversation, outcome) => {
      // The agent's words, and not those of the bridge.
      const pieces = payloadsOf(outcome).flatMap((payload) =>
        voice.pieces(conversation, payload, { key: `own/${crypto.randomUUID()}`, kind: "answer" })
      )
      return Effect.andThen(journal.outbox.put(pieces), voice.wake).pipe(
        Effect.catch((error) => Effect.logWarning(`what an agent said is lost: ${error.message}`))
      )
    },
    changed: Effect.suspend(() => tellServed),
    relist: (given) => access.relist(accessOf(given, account))
  })

  const queued =
    sight === undefined
      ? yield* makeQueued(journal, direct, hasButtons, interrupt)
      : makeQueuedSights(sight, journal, interrupt)
  // What wakes the lanes is known before they are.
  const wakeAll = Effect.gen(function* () {
    const open = new Set((yield* journal.inbox.open).map(({ conversation }) => conversation))
    yield* Effect.forEach(open, (conversation) => lanes.wake(conversation), { discard: true })
  })
  const pausing = makePausing({ core, onRestart: options.onRestart, wakeAll: Effect.ignore(wakeAll) })
  const paused = () => {
    if (isDraining()) return { id: "end", text: texts.waitsForStart }
    const pause = pausing.current()
    return pause === undefined ? undefined : { id: String(pause), text: texts.waitsForPause }
  }
  const interrupted = makeInterrupted(journal, wanted, (conversation) => lanes.wake(conversation))
  const watch = yield* makeWatching({
    ...{ options, channel, pacer, journal, core, chats, underWay, progress, scheduling, named: requests.named }
  })
  const roleOf = ({ conversation, sender, chat }: ChannelMessage) =>
    access.roleOf({ conversation, sender, chat }) ?? "user"
  const agents = Object.keys(options.agents)
  const named = (message: ChannelMessage) => onceIn(message, roleOf(message), agents)
  const claims = yield* makeClaims(core.places)
  const turns = makeTurns({
    ...{ journal, core, voice, channel, files, wanted, hasButtons, named, roleOf, watch, stoppable },
    limit: channel.limits.text,
    pick: makeResuming(history, core),
    isPaused: () => paused() !== undefined,
    onTaken: (text, updateIds) => queued.over(text, updateIds, "taken"),
    claims,
    onHeld: queued.tell,
    isCollecting: () => options.whileBusy === "collect",
    onInterrupted: options.onInterrupted
  })
  const lanes: Lanes = yield* makeLanes(turns, (cause) =>
    Effect.logWarning("a conversation has to wait", Cause.squash(cause))
  )

  const control = makeControl({
    ...{ options, core, journal, chats, pausing, queued, interrupt, turnOf: underWay.of },
    isHeld: claims.isWaiting,
    records: makeRecords({ channel, core, files, history, usage, zone: options.gateway.zone }),
    later: (work) => Effect.asVoid(later(work))
  })
  const settled = makeSettledButtons(journal, direct.edit)
  const heard = makeHeard({
    ...{ options, channel, journal, access, voice },
    noted: (message) => {
      chatKinds.note(message)
      const { conversation, messageId } = message
      return messageId === undefined ? Effect.void : newest.heard(conversation, messageId)
    },
    command: makeCommanding({ control, voice, later, inbox: journal.inbox }),
    press: makePresses(
      channel,
      (pressed, word) => later(settled(pressed, word)),
      requests.press,
      [
        showPresses(journal, signal.ring),
        stopPresses(underWay.of, interrupt),
        interrupted.press,
        scheduling.press,
        questions.press,
        queued.press,
        makeChoosing({
          ...{ chats, agents, command: control, close: core.close },
          directories: () => Object.keys(options.directories)
        })
      ],
      later
    ),
    queued: queued.tell,
    withdrawn: queued.check,
    became: tellMessage(sight),
    paused,
    answers: Effect.fnUntraced(function* (message, role) {
      yield* questions.written(message)
      if (yield* requests.text(message)) return true
      if (yield* scheduling.text(message, role)) return true
      if (yield* interrupted.text(message)) return true
      if (!/^\s*show\s*$/i.test(message.text)) return false
      const shown = yield* showMissing(journal, message.conversation, undefined)
      yield* signal.ring
      return shown !== "nothing"
    }),
    interrupt,
    arrival: makeSteering({
      ...{
        policy: () => options.whileBusy,
        isDraining,
        inbox: journal.inbox,
        core,
        underWay,
        later,
        isOfTurn: progress.isOf
      },
      onSteering: (message) => tellMessage(sight)(message, "steering"),
      standsAlone: (message) => named(message) !== undefined || lineIn(message.text) !== undefined
    }),
    receipt: (receipt) => Effect.andThen(takeReceipt({ journal, channel }, receipt), signal.ring),
    wake: lanes.wake
  })

  /**
   * Nothing is confirmed that is not in the journal: it is tried until the store takes it. What breaks the bridge or its
   * channel would do so again: it ends nothing else.
   */
  const taken = (given: Heard): Effect.Effect<void, JournalFailure> =>
    heard.all(given).pipe(
      Effect.catchTag("StoreError", (error) =>
        Effect.logWarning(`a message could not be taken in, and is tried again: ${error.message}`).pipe(
          Effect.andThen(Effect.sleep(trouble)),
          Effect.andThen(taken(given))
        )
      ),
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError("something that was heard could not be dealt with, and is left out", defect),
          Effect.ignoreCause(given.confirm)
        )
      )
    )

  const tellServed: Effect.Effect<void> = Effect.suspend(
    () =>
      sight?.({
        ...{ _tag: "Served", agents, agent: options.agent },
        directories: Object.entries(options.directories).map(([name, { path }]) => ({ name, path })),
        ...(options.directory === undefined ? {} : { directory: options.directory }),
        roleOf: (conversation, sender) => access.roleOf({ conversation, sender, chat: "direct" })
      }) ?? Effect.void
  )
  yield* tellServed
  yield* wakeAll
  yield* heard.afterRestart
  yield* Effect.andThen(Effect.ignore(journal.blankOld), files.sweep).pipe(
    Effect.repeat(Schedule.spaced("1 day")),
    Effect.forkScoped
  )
  const listening = listen(channel.incoming(yield* journal.marks.get("incoming")), { ...heard, take: taken })
  /** A copy of a file is needed no longer. */
  const atEnd = ({ piece: { file } }: OutboxRow) =>
    file === undefined || gateway.copies === undefined ? Effect.void : removeCopy(gateway.copies, file)
  const delivering = deliverOutbox({
    journal,
    channel,
    pacer,
    newest,
    signal,
    chatOf,
    onUnknown: options.onUnknown,
    onSent: atEnd,
    onFailed: atEnd
  })
  return yield* Effect.raceAllFirst([
    Effect.andThen(listening, Effect.never),
    delivering,
    scheduling.running,
    journal.lost
  ])
})
