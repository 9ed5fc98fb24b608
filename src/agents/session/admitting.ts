/**
 * Takes turns through the gates, one at a time: asked, admitted, started, and released after the end. Until it is released,
 * the others wait.
 */
import { Cause, Effect, Exit, Option, Scope } from "effect"
import { Aborted, type FailureReason } from "../../contract/AgentError.ts"
import type { Admission } from "../engine/admission.ts"
import { makeMeter } from "../engine/eventGate.ts"
import type { Turn } from "./turn.ts"
import type { TurnAdmitter } from "./turnSeams.ts"
import type { Turns } from "./turns.ts"

export interface AdmittingOptions {
  readonly admitter: TurnAdmitter
  readonly turns: Pick<Turns, "current" | "refuse">
  /** Gives an effect that waits for the end; undefined if no turn is running. */
  readonly interrupt: () => Effect.Effect<void> | undefined
  readonly fail: (reason: FailureReason) => void
  /** Called when another turn may start. */
  readonly onChange: () => void
}

export interface Admitting {
  /** The admitted turn, once: it starts now. Otherwise the gates are asked about the first that waits. */
  readonly next: (waiting: Array<Turn>) => Turn | undefined
  /** A turn that has not started. */
  readonly pending: () => Turn | undefined
  /** A turn is between the first gate and its release. */
  readonly isBusy: () => boolean
  /** Cancels the pending turn; false without one. */
  readonly withdraw: (reason: FailureReason) => boolean
}

interface Entry {
  readonly turn: Turn
  readonly scope: Scope.Closeable
  interrupt: () => void
  state: "asked" | "admitted" | "begun" | "withdrawn"
}

export const makeAdmitting = ({ admitter, turns, interrupt, fail, onChange }: AdmittingOptions): Admitting => {
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
      onUsage: onUsage === undefined ? () => {} : makeMeter(onUsage, fork, stop(turn)),
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
    next: (waiting) => {
      if (entry?.state === "admitted") {
        entry.state = "begun"
        return entry.turn
      }
      const first = entry === undefined ? waiting.shift() : undefined
      if (first !== undefined) ask(first)
      return undefined
    },
    pending: () => pendingEntry()?.turn,
    isBusy: () => entry !== undefined,
    withdraw: (reason) => {
      const pending = pendingEntry()
      if (pending === undefined) return false
      const wasAsked = pending.state === "asked"
      pending.state = "withdrawn"
      // The end of one that was let in releases it.
      refuse(pending.turn, reason)
      if (wasAsked) pending.interrupt()
      return true
    }
  }
}
