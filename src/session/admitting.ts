/**
 * A turn on its way through the gates: asked about, let in, begun, and released when its end was given. One at a time;
 * until it is released, the others wait behind it.
 */
import { Cause, type Duration, Effect, Exit, Option, Scope } from "effect"
import { Aborted, type FailureReason } from "../contract/AgentError.ts"
import type { Admission, Fork } from "../engine/admission.ts"
import { makeMeter } from "../engine/outlet.ts"
import type { Turn, Turns } from "./turns.ts"

/** What gates and observers have to do with turns. */
export interface TurnSeams {
  /** It was asked for. */
  readonly observe: (turn: Turn) => void
  /** Undefined where no gate is asked about turns: they begin at once. */
  readonly admit: ((turn: Turn) => Effect.Effect<Admission, FailureReason, Scope.Scope>) | undefined
  /** The session's. */
  readonly scope: Scope.Scope
  readonly fork: Fork
  /** For a turn that a gate ends, to heed the interrupt. */
  readonly grace: Duration.Input
}

export interface AdmittingOptions {
  readonly seams: TurnSeams
  readonly turns: Pick<Turns, "current" | "refuse">
  /** What to wait for; undefined where no turn is under way. */
  readonly interrupt: () => Effect.Effect<void> | undefined
  readonly fail: (reason: FailureReason) => void
  /** Its state has changed: another turn may begin. */
  readonly onChange: () => void
}

export interface Admitting {
  readonly isAsked: boolean
  readonly ask: (turn: Turn) => void
  /** The turn that was let in, once: it begins now. */
  readonly takeAdmitted: () => Turn | undefined
  /** A turn that has not begun. */
  readonly pending: () => Turn | undefined
  /** A turn is somewhere between its question and its release. */
  readonly isBusy: () => boolean
  /** The pending turn is not wanted any more. */
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

  const release = ({ scope }: Entry, exit: Exit.Exit<unknown, unknown>) =>
    Effect.map(Effect.uninterruptible(Scope.close(scope, exit)), () => {
      entry = undefined
      onChange()
    })

  /** A gate ends the turn that it had let in. */
  const stop = (turn: Turn) => (reason: FailureReason) => {
    if (turns.current() !== turn) return
    turn.stopped = reason
    const isOver = interrupt()
    const impatient = Effect.map(Effect.sleep(seams.grace), () => fail(reason))
    if (isOver !== undefined) fork(Effect.raceFirst(isOver, impatient))
  }

  const letIn = (admitted: Entry, { onUsage, settle }: Admission) => {
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

  const turnAway = (turn: Turn, reason: FailureReason) => {
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
        if (Exit.isSuccess(exit)) return Effect.sync(() => letIn(asked, exit.value))
        const reason = Option.getOrElse(Cause.findErrorOption(exit.cause), () => new Aborted())
        turnAway(turn, reason)
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
      const wasAdmitted = pending.state === "admitted"
      pending.state = "withdrawn"
      turnAway(pending.turn, reason)
      if (wasAdmitted) fork(release(pending, Exit.void))
      else pending.interrupt()
    }
  }
}
