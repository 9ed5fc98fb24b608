/** The store of the plain door: opened once, for any number of agents. What it needs is loaded when it is opened. */
import { Cause, Context, Effect, Exit, Layer, ManagedRuntime, Predicate, Redacted, Result, Schema } from "effect"
import { InvalidParams, StoreUnavailable } from "../contract/AgentError.ts"
import { DurationInput, MaybeSecret, makeParser, reveal } from "../contract/input.ts"
import { StoreError } from "../contract/StoreError.ts"
import { rejectingAtCall } from "../errors/callSite.ts"
import { HostEnvironment } from "../process/HostEnvironment.ts"
import { Store } from "../store/Store.ts"
import type { OpenStoreOptions, PlainStore, PostgresPlace } from "../types/PlainStore.ts"
import { openStores } from "./openStores.ts"
import { plainSessions } from "./plainSessions.ts"
import { plainUsage } from "./plainUsage.ts"
import { warnings } from "./warnings.ts"

const parse = makeParser(
  Schema.Struct({
    directory: Schema.optional(Schema.NonEmptyString),
    postgres: Schema.optional(Schema.Union([MaybeSecret, Schema.Struct({ env: Schema.NonEmptyString })])),
    memory: Schema.optional(Schema.Boolean),
    allowNetworkFileSystem: Schema.optional(Schema.Boolean),
    keep: Schema.optional(
      Schema.Struct({
        sessions: Schema.optional(DurationInput),
        transcripts: Schema.optional(Schema.Natural),
        turns: Schema.optional(DurationInput)
      })
    )
  }),
  "options"
)

const invalid = (option: string, problem: string) =>
  Effect.fail(new StoreError({ reason: new InvalidParams({ option, problem }) }))

const urlOf = (place: PostgresPlace) =>
  Effect.flatMap(HostEnvironment, (environment) => {
    if (!Predicate.hasProperty(place, "env") || typeof place.env !== "string") {
      return Effect.succeed(Redacted.make(reveal(place as Exclude<PostgresPlace, { readonly env: string }>)))
    }
    const url = environment[place.env]
    if (url !== undefined && url !== "") return Effect.succeed(Redacted.make(url))
    return invalid("postgres.env", `the variable ${JSON.stringify(place.env)} is not set`)
  })

export const storeLayerOf = (given: unknown): Layer.Layer<Store, StoreError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const parsed = parse(given)
      if (Result.isFailure(parsed)) return yield* new StoreError({ reason: parsed.failure })
      const { directory, postgres, memory = false, allowNetworkFileSystem, keep } = parsed.success as OpenStoreOptions
      const places = Object.entries({ directory, postgres, memory: memory || undefined })
      const [, second] = places.filter(([, place]) => place !== undefined)
      if (second !== undefined)
        return yield* invalid(second[0], "is a second place for the store: leave one of them out")
      if (memory) return Store.layerMemory({ keep })
      if (postgres !== undefined) return Store.layerPostgres({ url: yield* urlOf(postgres), keep })
      return Store.layerFile({ directory, allowNetworkFileSystem, keep })
    })
  )

const closed = () => new StoreError({ reason: new StoreUnavailable({ problem: "it is closed" }) })

const opening = async (options: OpenStoreOptions = {}): Promise<PlainStore> => {
  const runtime = ManagedRuntime.make(Layer.provide(storeLayerOf(options), warnings))
  const exit = await Effect.runPromiseExit(runtime.contextEffect)
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  const opened = Context.get(exit.value, Store)
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= Effect.runPromise(runtime.disposeEffect)
    return closing
  }
  const open = Effect.suspend(() => (closing === undefined ? Effect.succeed(opened) : Effect.fail(closed())))
  const run = <A>(effect: Effect.Effect<A, StoreError>) =>
    closing ? Promise.reject(closed()) : runtime.runPromise(effect)
  const store: PlainStore = {
    kind: opened.kind,
    place: opened.place,
    sessions: plainSessions(open, run),
    ...plainUsage(open, run),
    close,
    [Symbol.asyncDispose]: close
  }
  openStores.set(store, opened)
  return store
}

/** Opens the store, or makes it. Rejects with `StoreError`. */
export const openStore: (options?: OpenStoreOptions) => Promise<PlainStore> = rejectingAtCall(opening)
