/**
 * The seam for policy that may wait or refuse: locks, budgets, limits, claims. A gate is asked before anything of a run,
 * a live session or a turn is started; what it gives, its permit, has a say until the end.
 */
import type { Effect, Scope } from "effect"
import type { FailureReason } from "../contract/AgentError.ts"
import type { UsageEvent } from "../contract/AgentEvent.ts"
import type { End, Start } from "../contract/Start.ts"

/** Why something waits, for the `queued` notice. */
export interface Waiting {
  /** What for, to follow "The start waits: ", such as `3 turns go on`. */
  readonly problem: string
  /** For whom, and other facts: the `data` of the notice. */
  readonly data?: Readonly<Record<string, unknown>>
}

export type GateStart = Start & {
  /** Tells that it waits, by a `queued` notice in its events: of a turn, in the turn's. */
  readonly queued: (waiting: Waiting) => void
  /** Milliseconds since the first gate was asked. */
  readonly waitedMs: () => number
}

/**
 * What a gate gives to what it lets in. Each member is optional, and of several gates' members that wait, each waits for
 * the one before. A member that dies of a defect counts as refused by its gate (`Refused`), and the log has the cause.
 */
export interface Permit {
  /**
   * Of a run or a session: variables for its process, unless the caller set them, and the most it may cost. Of several
   * amounts, the caller's among them, the lowest holds; it reaches CLIs that have `maxBudgetUsd`.
   */
  readonly amend?: { readonly env?: Readonly<Record<string, string>>; readonly maxBudgetUsd?: number }
  /**
   * Awaited when all gates have let it in, immediately before the process is spawned, or before the first line of a live
   * turn is written. Where it fails, nothing is spawned or written, and its reason is the end.
   */
  readonly starting?: Effect.Effect<void, FailureReason>
  /**
   * Of a run or a session: awaited before the `session` event is given, and again when the CLI goes over to another
   * session; what follows is held back meanwhile, in memory. A failure ends it, and what was held back is not given.
   */
  readonly opened?: (sessionId: string) => Effect.Effect<void, FailureReason>
  /**
   * For `usage` events, which are sums so far; the newest replaces one that still waits. Nothing waits for it. A failure
   * ends the run or the session; of a turn, the turn alone, by an interrupt.
   */
  readonly onUsage?: (usage: UsageEvent) => Effect.Effect<void, FailureReason>
  /**
   * Awaited before `done` or `turn_done` is given: what must not be lost is written here. After 1 s the end is given
   * without it, which a warning in the log says; it goes on until the agent is closed, and is interrupted then. By then
   * it should have put what is left into a file of its own, to be taken up at the next start. Not called for what was
   * not let in by all gates: that is released, no more. A defect is a warning in the log.
   */
  readonly settle?: (end: End) => Effect.Effect<void>
}

export interface Gate {
  /** For messages: who refused, who is slow. */
  readonly name: string
  /** What it is asked about. Default: all three. A turn that no gate is asked about begins at once. */
  readonly concerns?: ReadonlyArray<Start["type"]>
  /**
   * Lets it in, waits or fails; `Refused` is the reason for gates of an application. It is interrupted when the caller
   * leaves. The scope closes when nothing of the run, the session or the turn is left, also where a later gate refuses.
   */
  readonly admit: (start: GateStart) => Effect.Effect<Permit, FailureReason, Scope.Scope>
}
