/** Work on a move: holds the session, and reports to the caller. */
import { Clock, Effect, type Scope } from "effect"
import { holdSubject } from "../../agents/guard/hold.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import type { SessionRow } from "../../conversations/turns/sessionRows.ts"
import { makeRunId } from "../../system/process/host.ts"
import { type Move, touchMove } from "./moveRows.ts"
import { type CliPlace, type NotMoved, notMoved } from "./packed.ts"

export interface MovesOptions extends CliPlace {
  readonly store: OpenStore
}

/** Wait for another process that holds the session; an idle live session closes meanwhile. */
const patienceMs = 10_000
/** A caller takes a home that is silent for longer to be down. */
const betweenSigns = "5 seconds"

/** Records that the home works on the move. Ignores a failure: the next sign may succeed. */
const sign = (store: OpenStore, move: Move, waitsFor: string | null) =>
  Effect.ignore(Effect.flatMap(Clock.currentTimeMillis, (now) => touchMove(store, move, waitsFor, now)))

const signing = (store: OpenStore, move: Move, waitsFor: string | null) =>
  Effect.forever(Effect.andThen(sign(store, move, waitsFor), Effect.sleep(betweenSigns)))

const held = ({ cli, sessionId }: SessionRow) =>
  Effect.gen(function* () {
    const subject = { what: "session", cli, sessionId } as const
    const runId = yield* makeRunId
    const taken = yield* holdSubject({ subject, runId, isPatient: true, patienceMs, queued: () => {} }).pipe(
      Effect.timeoutOrElse({ duration: patienceMs, orElse: () => Effect.succeed(undefined) })
    )
    if (taken !== undefined && "problem" in taken) {
      return yield* notMoved("sessions cannot be locked at the home: see reins doctor there")
    }
    return taken !== undefined
  }).pipe(Effect.catchTag("SessionBusy", () => Effect.succeed(false)))

/** Returns false, without any work, if the session is in use. */
export const whileHeld = <R>(
  store: OpenStore,
  move: Move,
  session: SessionRow,
  work: Effect.Effect<unknown, NotMoved | StoreError, R>
): Effect.Effect<boolean, NotMoved | StoreError, Exclude<R, Scope.Scope>> =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* sign(store, move, null)
      const waiting = yield* Effect.forkScoped(
        Effect.andThen(Effect.sleep("1 second"), signing(store, move, "the session is in use"))
      )
      const isHeld = yield* held(session)
      waiting.interruptUnsafe()
      if (!isHeld) return false
      yield* Effect.forkScoped(signing(store, move, null))
      yield* work
      return true
    })
  )
