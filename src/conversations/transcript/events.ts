/** The transcript of a session from a position on, then live: also the events of runs of other processes. */
import { Array as Arr, Cause, Effect, Stream } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import type { TranscriptEvent, TranscriptOptions } from "../../contract/Sessions.ts"
import { NotKept, StoreError } from "../../contract/StoreError.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { changesOf } from "./changes.ts"
import { readEvent } from "./readEvent.ts"
import { readPage, standingOf } from "./rows.ts"

/** For events of other processes; those of this one come at once. */
const pollEvery = "250 millis"

const notKept = (session: string) => new StoreError({ reason: new NotKept({ session }) })

const checkAfter = (after: unknown) =>
  Number.isSafeInteger(after) && Number(after) >= 0
    ? Effect.succeed(Number(after))
    : Effect.fail(
        new StoreError({ reason: new InvalidParams({ option: "after", problem: "is not a whole number from 0 on" }) })
      )

type Pull = Effect.Effect<Arr.NonEmptyReadonlyArray<TranscriptEvent>, StoreError | Cause.Done>

const pullFrom = (store: OpenStore, key: string, from: number, follow: boolean): Pull => {
  const changes = changesOf(store)
  let position = from
  const pull: Pull = Effect.suspend(() => {
    const changed = changes.next(key)
    return Effect.flatMap(readPage(store, key, position), (rows) => {
      position = rows.at(-1)?.position ?? position
      const events = rows.map(readEvent)
      if (Arr.isReadonlyArrayNonEmpty(events)) return Effect.succeed(events)
      if (!follow) return Cause.done()
      return Effect.flatMap(standingOf(store, key), (standing) =>
        standing?.mayGoOn === true
          ? Effect.andThen(Effect.raceFirst(changed, Effect.sleep(pollEvery)), pull)
          : Cause.done()
      )
    })
  })
  return pull
}

/**
 * `key`: in the store. With `follow`, it ends when the session is dead, archived or forgotten. Fails with `NotKept` where
 * there is no transcript, and no run that will have one.
 */
export const transcriptEvents = (
  store: OpenStore,
  key: string,
  { after = 0, follow = true }: TranscriptOptions = {}
): Stream.Stream<TranscriptEvent, StoreError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const from = yield* checkAfter(after)
      yield* Effect.all(changesOf(store).writers, { discard: true })
      const standing = yield* standingOf(store, key)
      if (standing === undefined || !(standing.hasEvents || standing.isRunning)) return yield* notKept(key)
      return Stream.fromPull(Effect.sync(() => pullFrom(store, key, from, follow)))
    })
  )
