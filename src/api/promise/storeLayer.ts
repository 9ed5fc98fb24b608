/** The options of a store of the plain door → its layer. */
import { Effect, Layer, Predicate, Redacted, Result, Schema } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { makeParser } from "../../contract/checkInput.ts"
import { DurationInput } from "../../contract/Input.ts"
import type { OpenStoreOptions, PostgresPlace } from "../../contract/PlainStore.ts"
import { MaybeSecret, reveal } from "../../contract/Redacted.ts"
import { StoreError } from "../../contract/StoreError.ts"
import { Store } from "../../conversations/store/Store.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"

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

export const storeLayerOf = (input: unknown): Layer.Layer<Store, StoreError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const parsed = parse(input)
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
