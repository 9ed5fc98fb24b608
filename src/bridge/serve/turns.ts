/**
 * One step of a conversation's queue: messages that were taken before, then the waiting ones. The transaction that puts
 * a turn's answer into the outbox ends its messages; until then the same turn is asked again, which is idempotent.
 */
import { Clock, Effect, Exit } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { Step } from "../../conversations/turns/keyedWorker.ts"
import { piecesOf } from "../delivery/payloadPieces.ts"
import { type Collected, collect, groupsOf, mergeMessages } from "../intake/collect.ts"
import { addedTo, type InboxRow } from "../journal/inbox.ts"
import { type ChannelMessage, isDelivery, isScheduled } from "../messages/ChannelMessage.ts"
import { conversationText } from "../messages/Conversation.ts"
import { interruptedPayload } from "../messages/interrupted.ts"
import { withFooter } from "../turn/footer.ts"
import { payloadsOf, retryTimeOf } from "../turn/outcome.ts"
import { promptOf, turnIdOf } from "../turn/prompt.ts"
import { Account, Bridge } from "./account.ts"
import { AccountAccess } from "./accountAccess.ts"
import { PlaceRequests } from "./conversationQueues.ts"
import { Files } from "./files.ts"
import { InterruptedTurns } from "./interruptedTurns.ts"
import { Pause } from "./pause.ts"
import { QueuedNotices } from "./queuedNotices.ts"
import { type JournalFailure, Replies, retryWhileStoreFails } from "./replies.ts"
import { makeSessionPicker, type Picked } from "./resumeLines.ts"
import { leastRole, TurnInterrupts } from "./runningTurns.ts"
import { Scheduling } from "./scheduling.ts"
import { namedAgents } from "./steering.ts"
import { turnObserver } from "./turnObserver.ts"
import { isUnheard, Voice, withTranscripts } from "./voice.ts"

const again: Step = { _tag: "Again" }
/** After a failure of the store. */
const retryLater: Step = { _tag: "Wait", ms: 1_000 }

/** The end of a pause wakes the queues earlier. */
const pauseMs = 60_000
/** Longest wait for a message that is still being written. */
const longestSettling = 5_000

/** Merges messages that belong together. Deterministic, so that a restart gives the same turn. */
const messagesOf = (
  rows: readonly [InboxRow, ...ReadonlyArray<InboxRow>],
  limit: number
): readonly [ChannelMessage, ...ReadonlyArray<ChannelMessage>] => {
  const [first, ...others] = groupsOf(rows).map(([one, ...more]) =>
    mergeMessages([one.message, ...more.map(({ message }) => message)], limit)
  )
  return [first ?? rows[0].message, ...others]
}

/** `wasTaken`: by an earlier host, or before people were asked about an interruption. */
interface Taken {
  readonly turnId: string
  readonly rows: Parameters<typeof messagesOf>[0]
  readonly wasTaken: boolean
}

/** Gives the step of a conversation. */
export const turnSteps = Effect.gen(function* () {
  const { options, core, history } = yield* Bridge
  const { channel, journal, hasButtons } = yield* Account
  const { roleOf } = yield* AccountAccess
  const { stoppable } = yield* TurnInterrupts
  const { decisions } = yield* InterruptedTurns
  const [replies, files, notices, voice] = [yield* Replies, yield* Files, yield* QueuedNotices, yield* Voice]
  const [pause, placeRequests] = [yield* Pause, yield* PlaceRequests]
  const { offerRetry } = yield* Scheduling
  const [named, observe] = [yield* namedAgents, yield* turnObserver]
  const pick = makeSessionPicker(options.resumable, history, core)
  const limit = channel.limits.text
  const isUnattended = channel.unattended === true
  const { inbox } = journal
  /** All waiting messages make one turn. */
  const isCollecting = () => options.whileBusy === "collect"

  /** Times since which conversations wait for messages still being written. */
  const settling = new Map<string, number>()
  /** Ids of turns that this host has started. */
  const begun = new Set<string>()

  const standsAlone = ({ message }: Pick<Collected, "message">) =>
    isScheduled(message) || isDelivery(message) || named(message) !== undefined

  /** Later messages that may share the turn of the first ready one. */
  const sharing = (next: Collected<InboxRow>, later: ReadonlyArray<Collected<InboxRow>>) => {
    if (!isCollecting() || standsAlone(next)) return []
    const end = later.findIndex(standsAlone)
    return (end < 0 ? later : later.slice(0, end)).flatMap(({ rows }) => rows)
  }

  const perform = Effect.fn(...untraced("Turns.perform"))(function* (
    { turnId, rows, wasTaken }: Taken,
    messages: ReturnType<typeof messagesOf>,
    signal: AbortSignal,
    over: Effect.Effect<void>
  ) {
    const [original, ...others] = messages
    const { conversation } = original
    const updateIds = rows.map(({ updateId }) => updateId)
    if (!wasTaken) yield* notices.end(conversationText(conversation), updateIds, "taken")
    if (!begun.has(turnId)) yield* core.reopen(turnId)
    begun.add(turnId)
    const roles = messages.map(roleOf)
    const { message, notice }: Picked = isDelivery(original)
      ? { message: original }
      : yield* pick(original, leastRole(roles))
    if (notice !== undefined) yield* replies.send(conversation, { text: notice }, `${turnId}/session`)
    // The message only named a session.
    if (notice !== undefined && others.length === 0 && message.text === "" && message.attachments.length === 0) {
      yield* inbox.finish(turnId, [])
      return again
    }
    const once = others.length === 0 ? named(message) : undefined
    const { paths, images, problems } = yield* files.receive(turnId, messages)
    if (problems.length > 0) yield* replies.send(conversation, { text: problems.join("\n") }, `${turnId}/files`)
    const { transcripts, lines } = yield* voice.transcribe(messages, paths)
    if (lines.length > 0) {
      yield* replies.send(conversation, { text: lines.join("\n\n"), silent: true }, `${turnId}/voice`)
    }
    const prompts = once === undefined ? [message, ...others] : [{ ...message, text: once.text }]
    const content = prompts.map((each) => withTranscripts(each, transcripts))
    // Its sender knows, or has stopped it.
    if (isUnheard(content)) {
      yield* inbox.finish(turnId, [])
      return again
    }
    const prompt = promptOf(content, paths)
    const isRecovered = wasTaken && !decisions.has(turnId)
    const turn = { turnId, conversation, message, roles, updateIds, isRecovered, once: once?.agent }
    const { push, end } = yield* observe(turn)
    const onInterrupted = decisions.get(turnId) ?? options.onInterrupted
    const attached = images.length === 0 ? {} : { attachments: images }
    const question = { conversation, turnId, prompt, ...attached, onInterrupted, agent: once?.agent, signal }
    const outcome = yield* core.ask(question, push)
    yield* over
    // Nothing was started: the turn is asked again once the store may work again.
    if (outcome.failure?.code === "store_unavailable" && !outcome.hadOutput) {
      yield* end(outcome, [])
      return retryLater
    }
    decisions.delete(turnId)
    const isInterrupted = outcome.failure?.code === "turn_interrupted"
    // The person who stopped it needs no message.
    const isStopped = outcome.failure?.category === "aborted"
    const payloads = payloadsOf(outcome, options.gateway.zone).filter(({ isError }) => !(isStopped && isError === true))
    const ended = yield* end(outcome, payloads)
    const { footer } = ended
    const addFooter = footer === undefined ? undefined : (text: string) => withFooter(text, footer)
    const pieces = isInterrupted
      ? // A random key: people are asked each time the turn is interrupted.
        replies.pieces(conversation, interruptedPayload(turnId, isUnattended ? "unattended" : hasButtons), {
          key: `${turnId}/${crypto.randomUUID()}`,
          kind: "answer",
          turnId
        })
      : yield* piecesOf({ channel, conversation, turnId, write: files.write, footer: addFooter }, ended.payloads)
    // Repeating the turn instead would show everything once more, in another session.
    yield* retryWhileStoreFails("the end of a turn", inbox.finish(turnId, pieces, isInterrupted))
    if (!isInterrupted) begun.delete(turnId)
    yield* replies.wake
    const retryAt = retryTimeOf(outcome)
    if (retryAt !== undefined && others.length === 0) {
      yield* Effect.ignore(offerRetry(original, retryAt), { log: "Warn" })
    }
    return again
  })

  const run = (taken: Taken) => {
    const messages = messagesOf(taken.rows, limit)
    return stoppable(messages[0].conversation, (signal, over) => perform(taken, messages, signal, over))
  }

  /** Returns undefined if a turn has a place and can start. */
  const waitForPlace = Effect.fn(...untraced("Turns.waitForPlace"))(function* (
    conversation: string,
    rows: ReadonlyArray<InboxRow>
  ) {
    const request = placeRequests.of(conversation)
    if (request.isReady()) return undefined
    const waiting = rows.filter(({ state }) => state === "waiting")
    yield* Effect.forEach(waiting, ({ message }) => notices.add(message), { discard: true })
    return { _tag: "Wait", ms: pauseMs, until: request.ready } satisfies Step
  })

  const step = Effect.fn(...untraced("Turns.step"))(function* (
    conversation: string
  ): Effect.fn.Return<Step, JournalFailure> {
    const rows = yield* inbox.openIn(conversation)
    const before = rows.find(({ state, turnId }) => state === "taken" && turnId !== undefined)?.turnId
    if (before !== undefined) {
      const [first, ...others] = rows.filter(({ turnId }) => turnId === before)
      // Otherwise they were added to a turn that is over: its agent has seen them.
      if (first !== undefined && !before.endsWith(addedTo(""))) {
        const wait = yield* waitForPlace(conversation, rows)
        return wait ?? (yield* run({ turnId: before, rows: [first, ...others], wasTaken: true }))
      }
      yield* inbox.finish(before, [])
      return again
    }
    if (rows.length === 0) return { _tag: "Empty" }
    if (pause.notice() !== undefined) return { _tag: "Wait", ms: pauseMs }
    const now = yield* Clock.currentTimeMillis
    const { ready, waitUntil } = collect(rows, now, { limit })
    const [next, ...later] = ready
    if (next === undefined) return { _tag: "Wait", ms: Math.max(1, (waitUntil ?? now) - now) }
    if (isCollecting() && waitUntil !== undefined && !standsAlone(next)) {
      const since = settling.get(conversation) ?? now
      settling.set(conversation, since)
      if (Math.abs(now - since) < longestSettling) return { _tag: "Wait", ms: Math.max(1, waitUntil - now) }
    }
    settling.delete(conversation)
    const wait = yield* waitForPlace(conversation, rows)
    if (wait !== undefined) return wait
    const [first, ...others] = next.rows
    // In the order of the journal, as after a restart.
    const further = [...others, ...sharing(next, later)].sort((a, b) => a.seq - b.seq)
    const turnId = turnIdOf(first.message)
    const updateIds = [first, ...further].map(({ updateId }) => updateId)
    if (!(yield* inbox.take(updateIds, turnId))) return again
    return yield* run({ turnId, rows: [first, ...further], wasTaken: false })
  })

  /** A place is requested only while a turn waits for it or runs. */
  return (conversation: string): Effect.Effect<Step, JournalFailure> =>
    Effect.onExit(step(conversation), (exit) => {
      const isWaiting = Exit.isSuccess(exit) && exit.value._tag === "Wait" && exit.value.until !== undefined
      return isWaiting ? Effect.void : placeRequests.release(conversation)
    })
})
