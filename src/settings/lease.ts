/**
 * A settings file of the user is changed for a while and given back: to acquire a lease puts members into the file, to
 * release it takes exactly them out again. Several runs, also of several processes, may hold leases of one file.
 */
import { Clock, Duration, Effect, Exit, Option, Schedule, Schema, Scope } from "effect"
import { startStopwatch } from "../clock/stopwatch.ts"
import { SettingsUnreadable } from "../contract/AgentError.ts"
import { giveBackAfterDeath } from "./aftermath.ts"
import { changeClaims } from "./change.ts"
import { type Claim, conflict } from "./journal.ts"
import { entriesOf, type Patch } from "./merge.ts"
import { findPlace } from "./place.ts"
import { openStore } from "./store.ts"

export interface LeaseOptions {
  readonly directory: string
  /** The names from the directory to the file; at most the last of its directories is made. */
  readonly path: ReadonlyArray<string>
  readonly patch: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Something in the patch is secret: only its owner may read the file. */
  readonly secret: boolean
  /** How long to wait for a run that defines a member of the same name in another way. Default 1 minute. */
  readonly patience?: Duration.Input
  /** Told what is not guaranteed where there is no state directory, or no lock between processes. */
  readonly onWarning?: (message: string) => void
}

export interface Lease {
  /** At once instead of at the end of the scope. What goes wrong is logged, and made up for by the next run. */
  readonly giveBack: Effect.Effect<void>
}

class Conflict extends Schema.TaggedError<Conflict>()("Conflict", { member: Schema.String }) {}

const toJson = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Json)))
)

/** A patch without members touches no file. */
export const leaseSettings: (options: LeaseOptions) => Effect.Effect<Lease, SettingsUnreadable, Scope.Scope> =
  Effect.fnUntraced(function* (options) {
    const { directory, path, patch: given, secret, patience = Duration.minutes(1), onWarning } = options
    const patch: Patch = toJson(JSON.stringify(given))
    if (entriesOf([patch]).length === 0) return { giveBack: Effect.void }
    const place = yield* findPlace(directory, path)
    const store = yield* openStore(place)
    if (store.warning !== undefined) onWarning?.(store.warning)
    const surroundings = yield* Effect.context<never>()
    const claim: Claim = { id: crypto.randomUUID(), secret, patch }
    const holding = yield* Scope.make()
    let isOut = false
    const release = Scope.close(holding, Exit.void)
    const without = (claims: ReadonlyArray<Claim>) =>
      Effect.as(
        release,
        claims.filter(({ id }) => id !== claim.id)
      )
    const giveBack = Effect.gen(function* () {
      if (!isOut) return
      yield* changeClaims(place, store, without)
      isOut = false
    }).pipe(
      Effect.catch((problem) => Effect.logWarning("a settings file was not given back", problem.message)),
      Effect.provideContext(surroundings)
    )
    // Before the file is changed, so that a run that is interrupted on the way gives back as well.
    yield* Effect.acquireRelease(Effect.void, () => Effect.andThen(giveBack, release))
    const withOwn = Effect.fnUntraced(function* (claims: ReadonlyArray<Claim>) {
      const taken = conflict(claims, claim.patch)
      if (Option.isSome(taken)) return yield* new Conflict({ member: taken.value })
      isOut = true
      yield* Scope.provide(store.hold(claim.id), holding)
      if (store.state !== undefined) yield* Scope.provide(giveBackAfterDeath(claim.id, store.state), holding)
      return [...claims, claim]
    })
    const waitedMs = startStopwatch(yield* Clock.Clock)
    const patienceMs = Duration.toMillis(patience)
    yield* changeClaims(place, store, withOwn).pipe(
      Effect.retry({
        while: ({ _tag }) => _tag === "Conflict" && waitedMs() < patienceMs,
        schedule: Schedule.spaced("25 millis")
      }),
      Effect.catchTag("Conflict", ({ member }) => {
        const problem = `is in use by another run that defines "${member}" in another way`
        return Effect.fail(new SettingsUnreadable({ file: place.file, problem }))
      })
    )
    return { giveBack }
  })
