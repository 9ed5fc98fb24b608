/**
 * Long polls, one after the other → updates. The next poll confirms the updates before it, and starts once all of those are
 * in the journal. A failed poll is retried on a new connection; only a refused token ends polling.
 */
import { Clock, Deferred, Effect, Latch, Option, Stream } from "effect"
import type { Heard } from "../../../bridge/messages/Channel.ts"
import type { Incoming } from "../../../bridge/messages/Incoming.ts"
import type { ChannelError } from "../../../bridge/messages/SendError.ts"
import { monotonicMillisOf } from "../../../system/hostClock.ts"
import { type AfterFailure, makeOutage } from "../../kit/outage.ts"
import { type Client, deadlines } from "../calls/client.ts"
import { type CallFailure, isTokenRefused, unknown } from "../calls/failure.ts"
import { makeDecode } from "./decode.ts"
import { kinds, type Me, readUpdate, updateIdOf, type WireUpdate } from "./wire.ts"

const conflictMs = 30_000
/** After a single poll of another reader, such as `reins doctor`. */
const firstConflictMs = 5_000
const conflictSpanMs = 600_000

const isConflict = (failure: CallFailure) => failure._tag === "Refused" && failure.code === 409
const isWebhook = (failure: CallFailure) => failure._tag === "Refused" && /webhook/i.test(failure.description)

const otherReader =
  "another program reads this bot's messages, so that some do not come here: stop it, or give it a bot of its own"
const webhookSet = "a webhook takes this bot's messages, so that none come here: remove it where it was set"

/** Delays and log lines after failed polls. Times are of a monotonic clock. */
export const makePollState = (startedAt: number) => {
  const outage = makeOutage("Telegram", startedAt)
  let conflictAt = Number.NEGATIVE_INFINITY
  const reportedConflicts = new Set<string>()

  const afterConflict = (failure: CallFailure, now: number): AfterFailure => {
    const line = isWebhook(failure) ? webhookSet : otherReader
    const isFirst = line === otherReader && now - conflictAt > conflictSpanMs
    conflictAt = now
    if (isFirst) return { waitMs: firstConflictMs }
    if (reportedConflicts.has(line)) return { waitMs: conflictMs }
    reportedConflicts.add(line)
    return { waitMs: conflictMs, line }
  }

  return {
    /** Returns undefined if retrying is useless. */
    failed: (failure: CallFailure, now: number): AfterFailure | undefined => {
      if (isTokenRefused(failure)) return undefined
      // Telegram was reached.
      if (isConflict(failure)) return afterConflict(failure, now)
      return outage.failed(now, failure._tag === "Refused" ? failure.retryAfterMs : undefined)
    },
    /** Returns a line for the log if an outage was reported. */
    completed: outage.reached
  }
}

/** The updates of one `getUpdates`, in order. Unknown and malformed ones are skipped, and never requested again. */
export interface Batch {
  readonly heard: ReadonlyArray<{ readonly id: number; readonly incoming: Incoming }>
  /** The next offset. Undefined if no update has an id. */
  readonly next: number | undefined
  /** Number of skipped updates. */
  readonly passed: number
  /** Ids of the malformed ones among them. */
  readonly malformed: ReadonlyArray<number | undefined>
}

const mostAlbums = 100

const isOfKnownKind = (input: unknown) => kinds.some((kind) => Object.hasOwn(Object(input), kind))

export const makeBatches = (me: Me) => {
  /** Albums that are addressed to the bot, the newest last. */
  const albums = new Set<string>()
  const { incoming, isAddressedPart } = makeDecode({ me, isAddressedAlbum: (album) => albums.has(album) })

  const rememberAlbum = ({ message }: WireUpdate) => {
    if (message?.media_group_id === undefined || !isAddressedPart(message)) return
    albums.add(message.media_group_id)
    const [oldest] = albums
    if (albums.size > mostAlbums && oldest !== undefined) albums.delete(oldest)
  }

  return (answer: ReadonlyArray<unknown>): Batch => {
    const read = answer.map((input) => ({
      id: updateIdOf(input),
      isKnown: isOfKnownKind(input),
      update: readUpdate(input)
    }))
    for (const { update } of read) if (Option.isSome(update)) rememberAlbum(update.value)
    const updates: Array<Batch["heard"][number]> = []
    const malformed: Array<number | undefined> = []
    let passed = 0
    for (const { id, isKnown, update } of read) {
      if (id === undefined || (isKnown && Option.isNone(update))) malformed.push(id)
      const decoded = id === undefined || Option.isNone(update) ? undefined : incoming(update.value)
      if (id !== undefined && decoded !== undefined) updates.push({ id, incoming: decoded })
      else passed += 1
    }
    const last = read.findLast(({ id }) => id !== undefined)?.id
    return { heard: updates, next: last === undefined ? undefined : last + 1, passed, malformed }
  }
}

export interface PollOptions {
  readonly client: Client
  readonly me: Effect.Effect<Me, ChannelError>
  /** Fails when the token is refused. */
  readonly ended: Deferred.Deferred<never, ChannelError>
  readonly onHeard: (updates: Heard) => void
}

const timeoutSeconds = 50

export const poll = ({ client, me, ended, onHeard }: PollOptions, mark: string | undefined) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const now = () => monotonicMillisOf(clock)
      const batchOf = makeBatches(yield* me)
      const state = makePollState(now())
      let offset = /^\d{1,15}$/.test(mark ?? "") ? Number(mark) + 1 : undefined
      let open = 0
      let passed = 0
      const allTaken = Latch.makeUnsafe(true)

      const taken = () => {
        open -= 1
        if (open === 0) allTaken.openUnsafe()
      }
      const heardOf = ({ id, incoming }: ReturnType<typeof batchOf>["heard"][number]): Heard => {
        let isTaken = false
        const confirm = Effect.sync(() => {
          if (!isTaken) taken()
          isTaken = true
        })
        const updates = { incoming, mark: String(id), confirm }
        onHeard(updates)
        return updates
      }

      const ask = Effect.suspend(() =>
        client.call(
          "getUpdates",
          { timeout: timeoutSeconds, allowed_updates: kinds, ...(offset === undefined ? {} : { offset }) },
          deadlines.poll
        )
      ).pipe(Effect.filterOrFail(Array.isArray, () => unknown))

      const read = (answer: ReadonlyArray<unknown>) =>
        Effect.gen(function* () {
          const line = state.completed(now())
          if (line !== undefined) yield* Effect.logInfo(line)
          const batch = batchOf(answer)
          passed += batch.passed
          if (batch.malformed.length > 0)
            yield* Effect.logWarning("updates of Telegram could not be read, and are passed over", {
              ids: batch.malformed.slice(0, 10)
            })
          if (batch.passed > 0) yield* Effect.logDebug("updates that are of no use here", { passed })
          // An answer without ids would be repeated immediately.
          if (batch.next === undefined && answer.length > 0) yield* Effect.sleep("30 seconds")
          offset = batch.next ?? offset
          open = batch.heard.length
          if (open > 0) allTaken.closeUnsafe()
          return batch.heard.map(heardOf)
        })

      const next: Effect.Effect<ReadonlyArray<Heard>, ChannelError> = Effect.andThen(allTaken.await, ask).pipe(
        Effect.matchEffect({
          onSuccess: read,
          onFailure: (failure) =>
            Effect.gen(function* () {
              client.renew()
              const after = state.failed(failure, now())
              if (after === undefined) return yield* Deferred.await(ended)
              if (after.line !== undefined) yield* Effect.logWarning(after.line)
              yield* Effect.sleep(after.waitMs)
              return []
            })
        })
      )
      return Stream.flattenIterable(Stream.fromEffectRepeat(Effect.raceFirst(next, Deferred.await(ended))))
    })
  )
