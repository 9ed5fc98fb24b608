/** The transcript of a session from a position on, then live, including runs of other processes. */
import { Array as Arr, Cause, Deferred, Effect, Exit, Option, Result, Schema, Stream } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { AgentEvent } from "../../contract/AgentEvent.ts"
import type { TranscriptEvent, TranscriptOptions } from "../../contract/Sessions.ts"
import { NotKept, StoreError } from "../../contract/StoreError.ts"
import { boundedDepth } from "../../contract/text/jsonLine.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { readPage, standingOf, type TranscriptRow } from "./rows.ts"

/** Writers and waiters of transcripts in this process. */
const makeChanges = () => {
  const waiting = new Map<string, Deferred.Deferred<void>>()
  return {
    /** Each writes its pending events. */
    writers: new Set<Effect.Effect<void>>(),
    /** Completes with the next change of the session from now on. */
    next: (key: string) => {
      const present = waiting.get(key) ?? Deferred.makeUnsafe<void>()
      waiting.set(key, present)
      return Deferred.await(present)
    },
    tell: (key: string) => {
      const present = waiting.get(key)
      waiting.delete(key)
      if (present !== undefined) Deferred.doneUnsafe(present, Exit.void)
    }
  }
}

type Changes = ReturnType<typeof makeChanges>

const ofStores = new WeakMap<OpenStore, Changes>()

export const changesOf = (store: OpenStore): Changes => {
  const known = ofStores.get(store) ?? makeChanges()
  ofStores.set(store, known)
  return known
}

/** Rows of other versions or programs become `unknown` events, with their whole content. */
const PromptEvent = Schema.Struct({ type: Schema.tag("prompt"), text: Schema.String })
const decode = Schema.decodeUnknownOption(Schema.Union([AgentEvent, PromptEvent]))

const readEvent = ({ position, at, runId, event: text }: TranscriptRow): TranscriptEvent => {
  const parsed = Result.try((): unknown => JSON.parse(boundedDepth(text)))
  const raw = Result.getOrElse(parsed, () => text)
  return { position, at, runId, event: Option.getOrElse(decode(raw), () => ({ type: "unknown" as const, raw })) }
}

/** Poll interval for events of other processes; those of this process come at once. */
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

/** With `follow`, ends when the session is dead, archived or forgotten. Fails with `NotKept` without a transcript. */
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
