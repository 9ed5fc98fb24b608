/**
 * Takes turns through the gates, one at a time: asked, admitted, started, and released after the end. Until it is released,
 * the others wait.
 */
import { Cause, type Duration, Effect, Exit, Option, Scope } from "effect"
import { Aborted, type FailureReason } from "../contract/AgentError.ts"
import type { Admission, Fork } from "../engine/admission.ts"
import { makeMeter } from "../engine/outlet.ts"
import type { Turn, Turns } from "./turns.ts"

/** The gates and observers of turns. */
export interface TurnSeams {
  /** Called when the caller has requested a turn. */
  readonly observe: (turn: Turn) => void
  /** Undefined if no gate is asked about turns: they start at once. */
  readonly admit: ((turn: Turn) => Effect.Effect<Admission, FailureReason, Scope.Scope>) | undefined
  /** The scope of the session. */
  readonly scope: Scope.Scope
  readonly fork: Fork
  /** Time for a turn to end after an interrupt by a gate. */
  readonly grace: Duration.Input
}

export interface AdmittingOptions {
  readonly seams: TurnSeams
  readonly turns: Pick<Turns, "current" | "refuse">
  /** Gives an effect that waits for the end; undefined if no turn is running. */
  readonly interrupt: () => Effect.Effect<void> | undefined
  readonly fail: (reason: FailureReason) => void
  /** Called when another turn may start. */
  readonly onChange: () => void
}

export interface Admitting {
  readonly isAsked: boolean
  readonly ask: (turn: Turn) => void
  /** The admitted turn, once: it starts now. */
  readonly takeAdmitted: () => Turn | undefined
  /** A turn that has not started. */
  readonly pending: () => Turn | undefined
  /** A turn is between the first gate and its release. */
  readonly isBusy: () => boolean
  /** Cancels the pending turn. */
  readonly withdraw: (reason: FailureReason) => void
}

interface Entry {
  readonly turn: Turn
  readonly scope: Scope.Closeable
  interrupt: () => void
  state: "asked" | "admitted" | "begun" | "withdrawn"
}

export const makeAdmitting = ({ seams, turns, interrupt, fail, onChange }: AdmittingOptions): Admitting => {
  const { admit, fork } = seams
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
    const impatient = Effect.map(Effect.sleep(seams.grace), () => fail(reason))
    if (isOver !== undefined) fork(Effect.raceFirst(isOver, impatient))
  }

  const onAdmitted = (admitted: Entry, { onUsage, settle }: Admission) => {
    const { turn } = admitted
    if (turn.ended !== undefined) return void fork(release(admitted, Exit.void))
    admitted.state = "admitted"
    turn.gates = {
      onUsage: onUsage === undefined ? () => {} : makeMeter(onUsage, fork, stop(turn)),
      settle,
      release: () => void fork(release(admitted, Exit.void))
    }
    onChange()
  }

  const refuse = (turn: Turn, reason: FailureReason) => {
    if (turn.ended === undefined) turns.refuse(turn, reason, true)
  }

  const pendingEntry = () => (entry?.state === "asked" || entry?.state === "admitted" ? entry : undefined)

  return {
    isAsked: admit !== undefined,
    ask: (turn) => {
      if (admit === undefined) return
      const asked: Entry = { turn, scope: Scope.forkUnsafe(seams.scope), interrupt: () => {}, state: "asked" }
      entry = asked
      const asking = Effect.onExit(Scope.provide(admit(turn), asked.scope), (exit) => {
        if (Exit.isSuccess(exit)) return Effect.sync(() => onAdmitted(asked, exit.value))
        const reason = Option.getOrElse(Cause.findErrorOption(exit.cause), () => new Aborted())
        refuse(turn, reason)
        return release(asked, exit)
      })
      const fiber = fork(Effect.asVoid(Effect.exit(asking)))
      asked.interrupt = () => fiber.interruptUnsafe()
    },
    takeAdmitted: () => {
      if (entry?.state !== "admitted") return undefined
      entry.state = "begun"
      return entry.turn
    },
    pending: () => pendingEntry()?.turn,
    isBusy: () => entry !== undefined,
    withdraw: (reason) => {
      const pending = pendingEntry()
      if (pending === undefined) return
      const wasAsked = pending.state === "asked"
      pending.state = "withdrawn"
      // The end of one that was let in releases it.
      refuse(pending.turn, reason)
      if (wasAsked) pending.interrupt()
    }
  }
}
