/**
 * The interface for policy that can wait or refuse: locks, budgets, limits. A gate is asked before anything of a run, a live
 * session or a turn is started; the permit that it returns is consulted until the end.
 */
import type { Effect, Scope } from "effect"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { UsageEvent } from "../../contract/AgentEvent.ts"
import type { ProcessExit } from "../../contract/AgentRunResult.ts"
import type { Amendment, End, GateStart, Start } from "../../contract/Start.ts"

/**
 * The decision of a gate to admit. What its members get is a copy. All members are optional; those of several gates run
 * one after the other, in the order of the gates. A defect in a member counts as a refusal by its gate (`Refused`), and the
 * cause is logged.
 */
export interface Permit {
  /**
   * For a run or a session: variables for its process, which do not override the caller's, and its maximum cost. Of several
   * amounts, including the caller's, the lowest counts; it is passed to CLIs that support `maxBudgetUsd`.
   */
  readonly amend?: Amendment
  /**
   * Awaited after all gates have admitted, immediately before the process is spawned, or before the first line of a live
   * turn is written. If it fails, nothing is spawned or written, and the run, session or turn ends with its reason.
   */
  readonly starting?: Effect.Effect<void, FailureReason>
  /**
   * For a run or a session: awaited before the `session` event is emitted, and again when the CLI changes to another
   * session; events after it wait in memory, up to 64 MiB: with more, the gate has refused. A failure ends the run or
   * session, and the waiting events are dropped. A run that has ended waits until its `total` budget at most.
   */
  readonly opened?: (sessionId: string) => Effect.Effect<void, FailureReason>
  /**
   * Called for `usage` events, which are sums so far; the newest replaces one that still waits. Not awaited. A failure ends
   * the run or the session; for a turn, it interrupts the turn only.
   */
  readonly onUsage?: (usage: UsageEvent) => Effect.Effect<void, FailureReason>
  /**
   * Awaited before `done` or `turn_done` is emitted, to write what must not be lost. After 1 s the end is emitted without
   * it, with a warning in the log; it continues until the agent is closed, and is interrupted then. What is not written by
   * then should be kept in a file, for the next start. Only called if all gates have admitted; otherwise the scope is just
   * closed. A defect is logged as a warning.
   */
  readonly settle?: (end: End) => Effect.Effect<void>
  /**
   * For a run or a session: awaited when nothing of its process is left, after `done` and before the scope closes, with the
   * way in which it exited: one that did not leave by itself after its result was ended. A defect is logged as a warning.
   */
  readonly left?: (exit: ProcessExit) => Effect.Effect<void>
}

export interface Gate {
  /** Its name in messages and in the log. */
  readonly name: string
  /** The kinds of start that it is asked about. Default: all three. A turn that no gate is asked about starts at once. */
  readonly concerns?: ReadonlyArray<Start["type"]>
  /**
   * Admits, waits or fails; gates of an application fail with `Refused`. Interrupted when the caller leaves. The scope
   * closes when nothing of the run, the session or the turn is left, also if a later gate refuses.
   */
  readonly admit: (start: GateStart) => Effect.Effect<Permit, FailureReason, Scope.Scope>
}
