/**
 * Long polls, one after the other → what is heard. The next one, which confirms those before it, is asked for once all that
 * was heard is in the journal. Each has its deadline, and a new connection after a failure; it ends with the token alone.
 */
import { Clock, Deferred, Effect, Latch, Stream } from "effect"
import type { Heard } from "../../../bridge/messages/Channel.ts"
import type { ChannelError } from "../../../bridge/messages/SendError.ts"
import { monotonicMillisOf } from "../../../system/hostClock.ts"
import { type Client, deadlines } from "../calls/client.ts"
import { unknown } from "../calls/failure.ts"
import { makeBatches } from "./batch.ts"
import { makePollState } from "./pollState.ts"
import { kinds, type Me } from "./wire.ts"

export interface PollOptions {
  readonly client: Client
  /** Asked for until it is known. */
  readonly me: Effect.Effect<Me, ChannelError>
  /** The token is refused. */
  readonly ended: Deferred.Deferred<never, ChannelError>
  readonly onHeard: (heard: Heard) => void
}

const timeoutSeconds = 50

/** From a mark on. */
const offsetOf = (mark: string | undefined): number | undefined =>
  mark !== undefined && /^\d{1,15}$/.test(mark) ? Number(mark) + 1 : undefined

export const poll = ({ client, me, ended, onHeard }: PollOptions, mark: string | undefined) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const now = () => monotonicMillisOf(clock)
      const batchOf = makeBatches(yield* me)
      const state = makePollState(now())
      let offset = offsetOf(mark)
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
        const heard = { incoming, mark: String(id), confirm }
        onHeard(heard)
        return heard
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
          // An answer in which nothing has an id would come again at once.
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
