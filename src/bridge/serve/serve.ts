/**
 * Serves one account of a channel: updates go into the journal, through the queues of conversations to the agents, and
 * answers through the outbox to the channel. Its parts are services, built once for the account, and end with it.
 */
import { Effect, Layer, Schedule } from "effect"
import { accessOf } from "../access/checkAccess.ts"
import { deliverOutbox, OutboxSignal } from "../delivery/deliverOutbox.ts"
import { removeCopy } from "../gateway/copies.ts"
import { sideEffectsOf } from "../gateway/sideEffects.ts"
import type { Journal } from "../journal/Journal.ts"
import type { OutboxRow } from "../journal/outbox.ts"
import type { Channel } from "../messages/Channel.ts"
import type { ServeError } from "../ServeError.ts"
import type { Surroundings } from "../turn/core.ts"
import { payloadsOf } from "../turn/outcome.ts"
import { Account, Bridge, Newest } from "./account.ts"
import { AccountAccess } from "./accountAccess.ts"
import { AgentRequests, rulesOf, withoutAsking } from "./agentRequests.ts"
import { Changes } from "./changes.ts"
import { servedUpdate } from "./channelUpdates.ts"
import { ChatMemory } from "./chatMemory.ts"
import { Commands } from "./commandRunner.ts"
import { ConversationQueues, PlaceRequests } from "./conversationQueues.ts"
import { ChannelPacer, Direct } from "./direct.ts"
import { Files } from "./files.ts"
import { AccountGateway } from "./gateway.ts"
import { makeIncoming } from "./incoming.ts"
import { Intake } from "./intake.ts"
import { InterruptedTurns } from "./interruptedTurns.ts"
import { listen } from "./listen.ts"
import { Pause, wakeAll } from "./pause.ts"
import { Questions } from "./questions.ts"
import { QueuedNotices } from "./queuedNotices.ts"
import { Replies } from "./replies.ts"
import { RunningTurns, TurnInterrupts } from "./runningTurns.ts"
import { Scheduling } from "./scheduling.ts"
import { Steering } from "./steering.ts"
import { TurnProgress } from "./turnProgress.ts"
import { turnSteps } from "./turns.ts"
import { Voice } from "./voice.ts"

const accountLayer = (channel: Channel, journals: Journal["Service"]) =>
  Layer.effect(
    Account,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      return {
        channel,
        journal: yield* journals.own(channel.id, channel.accountId),
        hasButtons: channel.limits.buttons.most >= 3,
        inBackground: (work) => Effect.forkIn(work, scope, { startImmediately: true })
      }
    })
  )

/** Each line needs only those below it. */
const services = Layer.mergeAll(AccountGateway.layer, Commands.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Questions.layer, Changes.layer)),
  Layer.provideMerge(Intake.layer),
  Layer.provideMerge(Steering.layer),
  Layer.provideMerge(Layer.mergeAll(AgentRequests.layer, TurnProgress.layer, QueuedNotices.layer, Scheduling.layer)),
  Layer.provideMerge(Layer.mergeAll(Direct.layer, InterruptedTurns.layer, Pause.layer)),
  Layer.provideMerge(
    Layer.mergeAll(ChannelPacer.layer, ChatMemory.layer, ConversationQueues.layer, Files.layer, Voice.layer)
  ),
  Layer.provideMerge(Layer.mergeAll(Replies.layer, RunningTurns.layer, TurnInterrupts.layer, PlaceRequests.layer)),
  Layer.provideMerge(Layer.mergeAll(AccountAccess.layer, Newest.layer, OutboxSignal.layer))
)

/** The account's additions to the turns of its conversations. */
const surroundings = Effect.gen(function* () {
  const { options } = yield* Bridge
  const { channel, journal } = yield* Account
  const { access, roleOf } = yield* AccountAccess
  const [gateway, chats, files] = [yield* AccountGateway, yield* ChatMemory, yield* Files]
  const [requests, replies, runningTurns] = [yield* AgentRequests, yield* Replies, yield* RunningTurns]
  const [{ watch }, changes] = [channel, yield* Changes]
  const account = { channel: channel.id, accountId: channel.accountId }
  const all: Surroundings = {
    outlet: gateway.outlet,
    settings: chats.get,
    tools: channel.unattended === true ? () => [] : gateway.tools,
    isUnattended: channel.unattended === true,
    directories: files.directories,
    approvals: (settings) => {
      const rules = rulesOf(options.approvals, settings)
      return channel.unattended === true ? withoutAsking(rules) : rules
    },
    onEvent: (conversation, session, event) => {
      const turn = runningTurns.of(conversation)
      const handled = requests.event(conversation, turn?.id ?? "own", session, event)
      const named = turn === undefined && watch !== undefined ? requests.named(session, event) : event
      // Outside turns only requests are reported: the answer of an agent's own turn comes by `onOwnTurn`.
      if (named === event || watch === undefined) return handled
      return Effect.andThen(handled, watch({ _tag: "Event", conversation, turnId: undefined, event: named }))
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
      const pieces = payloadsOf(outcome, options.gateway.zone).flatMap((payload) =>
        replies.pieces(conversation, payload, { key: `own/${crypto.randomUUID()}`, kind: "answer" })
      )
      return Effect.andThen(journal.outbox.put(pieces), replies.wake).pipe(
        Effect.catch((error) => Effect.logWarning(`the answer of an agent's own turn is lost: ${error.message}`))
      )
    },
    changed: servedUpdate(watch, options, access, changes),
    relist: (lists) => access.relist(accessOf(lists, account))
  }
  return all
})

/** Answers and notices on their way to the channel. */
const delivering = Effect.gen(function* () {
  const { options } = yield* Bridge
  const { channel, journal } = yield* Account
  const { chatOf } = yield* AccountAccess
  const { copies } = yield* AccountGateway
  const [pacer, newest, signal] = [yield* ChannelPacer, yield* Newest, yield* OutboxSignal]
  /** Removes the copy of a file that is not needed any more. */
  const removeFile = ({ piece: { file } }: OutboxRow) =>
    file === undefined || copies === undefined ? Effect.void : removeCopy(copies, file)
  return yield* deliverOutbox({
    ...{ journal, channel, pacer, newest, signal, chatOf, onUnknown: options.onUnknown },
    onSent: removeFile,
    onFailed: removeFile
  })
})

const tidying = Effect.gen(function* () {
  const { journal } = yield* Account
  const { sweep } = yield* Files
  return yield* Effect.repeat(Effect.andThen(Effect.ignore(journal.blankOld), sweep), Schedule.spaced("1 day"))
})

const serving = Effect.gen(function* () {
  const { surround } = yield* Bridge
  const { channel, journal } = yield* Account
  const queues = yield* ConversationQueues
  const scheduling = yield* Scheduling
  const around = yield* surroundings
  yield* surround(around)
  const [step, incoming] = [yield* turnSteps, yield* makeIncoming]
  yield* around.changed ?? Effect.void
  yield* wakeAll
  yield* incoming.afterRestart
  yield* Effect.forkScoped(tidying)
  const listening = listen(channel.incoming(yield* journal.marks.get("incoming")), incoming)
  return yield* Effect.raceAllFirst([
    Effect.andThen(listening, Effect.never),
    queues.run(step),
    delivering,
    scheduling.running,
    journal.lost
  ])
})

/** Serves the account until it is interrupted, or the account or its channel fails. */
export const serveChannel = (
  channel: Channel,
  journals: Journal["Service"],
  bridge: Bridge["Service"]
): Effect.Effect<never, ServeError> =>
  Effect.scoped(serving).pipe(
    Effect.provide(Layer.provideMerge(services, accountLayer(channel, journals))),
    Effect.provideService(Bridge, bridge)
  )
