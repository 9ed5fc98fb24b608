/** The gates and observers of a session's turns, which are admitted one at a time, and released after their end. */
import { Cause, Clock, Effect, Exit, Option, Scope } from "effect"
import { Aborted, type FailureReason } from "../../contract/AgentError.ts"
import type { SessionStart, TurnStart } from "../../contract/Start.ts"
import { type Admission, admit, concerns, type Fork } from "../engine/admission.ts"
import { gatesInOrder, observersInOrder } from "../engine/ownSeams.ts"
import { makeUsageMeter } from "../engine/usageMeter.ts"
import { makeWatchers } from "../engine/watchers.ts"
import type { Turn } from "./turn.ts"
import type { Turns } from "./turns.ts"

export interface TurnAdmitter {
  readonly admit: (turn: Turn) => Effect.Effect<Admission, FailureReason, Scope.Scope>
  readonly scope: Scope.Scope
  readonly fork: Fork
  /** Time for a turn to end after an interrupt by a gate, in milliseconds. */
  readonly grace: number
}

export interface TurnSeams {
  /** Called when the caller has requested a turn. Undefined without observers. */
  readonly observe: ((turn: Turn) => void) | undefined
  /** Undefined if no gate is asked about turns: they start at once. */
  readonly admitter: TurnAdmitter | undefined
}

export interface TurnSeamsOptions extends Pick<TurnAdmitter, "fork" | "grace"> {
  readonly session: SessionStart
  readonly turns: Turns
  readonly background: Fork
  /** Removes the secrets of the session from a text. */
  readonly redact: (text: string) => string
}

export const turnSeams = Effect.fnUntraced(function* (options: TurnSeamsOptions) {
  const { session, turns, fork, grace, background, redact } = options
  const gates = (yield* gatesInOrder).filter((gate) => concerns(gate, "turn"))
  const observers = yield* observersInOrder
  const clock = yield* Clock.Clock
  const { cli, workingDirectory } = session

  const startOf = ({ id, prompt }: Turn): TurnStart => {
    const sessionId = turns.sessionId()
    const named = sessionId === undefined ? {} : { sessionId }
    return { type: "turn", id, cli, workingDirectory, prompt, session, ...named }
  }

  /** A live turn spawns nothing: it starts as soon as it is admitted. */
  const admitTurn = (turn: Turn) =>
    Effect.tap(
      admit(gates, startOf(turn), (notice) => turns.giveNotice(notice, turn), background),
      ({ starting = Effect.void }) => starting
    )

  const observe = (turn: Turn) => {
    turn.watchers = makeWatchers({ observers, start: startOf(turn), clock, background, redact })
  }

  const scope = yield* Effect.scope
  const seams: TurnSeams = {
    observe: observers.length === 0 ? undefined : observe,
    admitter: gates.length === 0 ? undefined : { admit: admitTurn, scope, fork, grace }
  }
  return seams
})

export interface AdmittingOptions {
  readonly admitter: TurnAdmitter
  readonly turns: Pick<Turns, "current" | "refuse">
  /** Returns an effect that waits for the end; undefined if no turn is running. */
  readonly interrupt: () => Effect.Effect<void> | undefined
  readonly fail: (reason: FailureReason) => void
  readonly onChange: () => void
}

export type Admitting = ReturnType<typeof makeAdmitting>

interface Entry {
  readonly turn: Turn
  readonly scope: Scope.Closeable
  interrupt: () => void
  state: "asked" | "admitted" | "begun" | "withdrawn"
}

export const makeAdmitting = ({ admitter, turns, interrupt, fail, onChange }: AdmittingOptions) => {
  const { admit, scope, fork, grace } = admitter
  let entry: Entry | undefined

  const release = (released: Entry, exit: Exit.Exit<unknown, unknown>) =>
    Effect.map(Effect.uninterruptible(Scope.close(released.scope, exit)), () => {
      if (entry === released) entry = undefined
      onChange()
    })

  /** A gate ends the turn that it had admitted. */
  const stop = (turn: Turn) => (reason: FailureReason) => {
    if (turns.current() !== turn) return
    turn.stopped = reason
    const isOver = interrupt()
    const impatient = Effect.map(Effect.sleep(grace), () => fail(reason))
    if (isOver !== undefined) fork(Effect.raceFirst(isOver, impatient))
  }

  const onAdmitted = (admitted: Entry, { onUsage, settle }: Admission) => {
    const { turn } = admitted
    if (turn.ended !== undefined) return void fork(release(admitted, Exit.void))
    admitted.state = "admitted"
    turn.gates = {
      onUsage: onUsage === undefined ? () => {} : makeUsageMeter(onUsage, fork, stop(turn)),
      settle,
      release: () => void fork(release(admitted, Exit.void))
    }
    onChange()
  }

  const refuse = (turn: Turn, reason: FailureReason) => {
    if (turn.ended === undefined) turns.refuse(turn, reason, true)
  }

  const ask = (turn: Turn) => {
    const request: Entry = { turn, scope: Scope.forkUnsafe(scope), interrupt: () => {}, state: "asked" }
    entry = request
    const asking = Effect.onExit(Scope.provide(admit(turn), request.scope), (exit) => {
      if (Exit.isSuccess(exit)) return Effect.sync(() => onAdmitted(request, exit.value))
      const reason = Option.getOrElse(Cause.findErrorOption(exit.cause), () => new Aborted())
      refuse(turn, reason)
      return release(request, exit)
    })
    const fiber = fork(Effect.asVoid(Effect.exit(asking)))
    request.interrupt = () => fiber.interruptUnsafe()
  }

  const pendingEntry = () => (entry?.state === "asked" || entry?.state === "admitted" ? entry : undefined)

  return {
    /** Returns the admitted turn, once: it starts now. Otherwise the gates are asked about the first that waits. */
    next: (waiting: Array<Turn>): Turn | undefined => {
      if (entry?.state === "admitted") {
        entry.state = "begun"
        return entry.turn
      }
      const first = entry === undefined ? waiting.shift() : undefined
      if (first !== undefined) ask(first)
      return undefined
    },
    pending: () => pendingEntry()?.turn,
    /** True from the first gate of a turn to its release. */
    isBusy: () => entry !== undefined,
    /** Cancels the pending turn; false without one. */
    withdraw: (reason: FailureReason): boolean => {
      const pending = pendingEntry()
      if (pending === undefined) return false
      const wasAsked = pending.state === "asked"
      pending.state = "withdrawn"
      // The end of an admitted turn releases it.
      refuse(pending.turn, reason)
      if (wasAsked) pending.interrupt()
      return true
    }
  }
}
