/** A lease on a settings file of the user puts members into it, and takes exactly those out when it is released. */
import { dirname } from "node:path"
import { Clock, Duration, Effect, Exit, Option, Schedule, Schema, Scope } from "effect"
import { SettingsUnreadable } from "../../contract/AgentError.ts"
import { untraced } from "../../contract/untraced.ts"
import { startStopwatch } from "../hostClock.ts"
import { Host } from "../process/host.ts"
import { ownProgram } from "../process/packageFile.ts"
import { holdClaims } from "./change.ts"
import { type Claim, conflict } from "./journal.ts"
import { entriesOf, type Patch } from "./merge.ts"
import { findPlace } from "./place.ts"
import { openStore } from "./store.ts"

/**
 * Restores the files of the state directory's journals if this host dies, of several directories those of the latest.
 * The reaper gets no list of files, which could exceed the system's limit. In an application's own bundle the next run
 * restores them.
 */
const restoreAfterDeath = (state: string) =>
  Effect.flatMap(Host, ({ reaper }) => {
    const program = ownProgram("system/settings/restoreProgram")
    if (program === undefined) return Effect.void
    return Effect.acquireRelease(
      Effect.sync(() => reaper.afterDeath({ program, argument: dirname(state) })),
      (callOff) => Effect.sync(callOff)
    )
  })

export interface LeaseOptions {
  readonly directory: string
  /** The names from the directory to the file; only the last of its directories is created if it is missing. */
  readonly path: ReadonlyArray<string>
  readonly patch: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The patch contains a secret: only the owner may read the file. */
  readonly secret: boolean
  /** How long to wait for a run that defines a member of the same name differently. Default: 1 minute. */
  readonly patience?: Duration.Input
  /** Called with the missing guarantees, without a state directory or a lock between processes. */
  readonly onWarning?: (message: string) => void
}

export interface Lease {
  /** Restores the file before the scope closes. A failure is logged, and the next run in the directory tries again. */
  readonly release: Effect.Effect<void>
}

class Conflict extends Schema.TaggedError<Conflict>()("Conflict", { member: Schema.String }) {}

const toJson = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Json)))
)

/** Acquires the lease: its claim is in the file until `release` or the end of the scope. A patch without members touches no file. */
export const leaseSettings: (options: LeaseOptions) => Effect.Effect<Lease, SettingsUnreadable, Scope.Scope> =
  Effect.fnUntraced(function* (options) {
    const { directory, path, patch: input, secret, patience = Duration.minutes(1), onWarning } = options
    const patch: Patch = toJson(JSON.stringify(input))
    if (entriesOf([patch]).length === 0) return { release: Effect.void }
    const place = yield* findPlace(directory, path)
    const store = yield* openStore(place)
    if (store.warning !== undefined) onWarning?.(store.warning)
    const claim: Claim = { id: crypto.randomUUID(), secret, patch }
    const scope = yield* Effect.flatMap(Effect.scope, (parent) => Scope.fork(parent))
    // Until the file is restored: this host may also die while it does that.
    if (store.state !== undefined) yield* Scope.provide(restoreAfterDeath(store.state), scope)
    const attempt = Effect.gen(function* () {
      // Closed within the change that takes the claim out, and in any case after it.
      const locks = yield* Effect.flatMap(Effect.scope, (parent) => Scope.fork(parent))
      const join = Effect.fn(...untraced("Lease.join"))(function* (claims: ReadonlyArray<Claim>) {
        const taken = conflict(claims, patch)
        if (Option.isSome(taken)) return yield* new Conflict({ member: taken.value })
        yield* Scope.provide(store.hold(claim.id), locks)
        return [...claims, claim]
      })
      const leave = (claims: ReadonlyArray<Claim>) =>
        Effect.as(
          Scope.close(locks, Exit.void),
          claims.filter(({ id }) => id !== claim.id)
        )
      yield* Effect.onError(holdClaims(place, store, join, leave), () => Scope.close(locks, Exit.void))
    })
    const waitedMs = startStopwatch(yield* Clock.Clock)
    const patienceMs = Duration.toMillis(patience)
    yield* attempt.pipe(
      Effect.retry({
        while: ({ _tag }) => _tag === "Conflict" && waitedMs() < patienceMs,
        schedule: Schedule.spaced("25 millis")
      }),
      Effect.catchTag("Conflict", ({ member }) => {
        const problem = `is in use by another run that defines "${member}" differently: wait for its end, or use another working directory`
        return Effect.fail(new SettingsUnreadable({ file: place.file, problem }))
      }),
      Scope.provide(scope)
    )
    return { release: Effect.uninterruptible(Scope.close(scope, Exit.void)) }
  })
