/** Gates and observers for plain callers: promises instead of effects, a function instead of a scope. */
import type { UsageEvent } from "./AgentEvent.ts"
import type { ProcessExit } from "./AgentRunResult.ts"
import type { Awaitable } from "./Input.ts"
import type { Observer } from "./Observer.ts"
import type { Amendment, End, GateStart, Start } from "./Start.ts"

/** The members are those of `Permit` of the Effect door. To refuse, a member throws or rejects, as `admit` does. */
export interface PlainPermit {
  /** For a run or a session: added to it. */
  readonly amend?: Amendment
  /** Awaited immediately before the process is started, or before the first line of a live turn is written. */
  readonly starting?: () => Awaitable<void>
  /** Awaited before the `session` event is emitted. */
  readonly opened?: (sessionId: string) => Awaitable<void>
  /** Called for `usage` events: the newest sum so far. */
  readonly onUsage?: (usage: UsageEvent) => Awaitable<void>
  /** Awaited before the end is emitted, for 1 s at most; then it continues until the agent is closed, and `signal` is aborted. */
  readonly settle?: (end: End, context: { readonly signal: AbortSignal }) => Awaitable<void>
  /** For a run or a session: awaited when nothing of its process is left, with the way in which it exited. */
  readonly left?: (exit: ProcessExit) => Awaitable<void>
  /**
   * Called when nothing of the run, session or turn is left, also if another gate has refused it. Awaited for 1 s at
   * most; then it continues in the background, with a warning in the log.
   */
  readonly release?: () => Awaitable<void>
}

/** Policy that can wait or refuse, asked before anything of a run, a live session or a turn is started. */
export interface PlainGate {
  /** Its name in messages and in the log. */
  readonly name: string
  /** The kinds of start that it is asked about. Default: all three. A turn that no gate is asked about starts at once. */
  readonly concerns?: ReadonlyArray<Start["type"]>
  /**
   * Admits the start when it resolves. To refuse, throw `new Refused({ gate, problem, retryable })`; any other error is
   * a fault of the gate, which refuses, too. `signal` is aborted when the caller has left: a later permit is released
   * at once.
   */
  readonly admit: (start: GateStart & { readonly signal: AbortSignal }) => Awaitable<PlainPermit | undefined>
}

/** Policy and listeners of an agent. */
export interface PlainSeams {
  /** Gates for runs, live sessions and turns, asked after the guard of sessions and `limits`. Default: none. */
  readonly gates?: ReadonlyArray<PlainGate>
  /** Observers of all runs, live sessions and turns. Default: none. */
  readonly observers?: ReadonlyArray<Observer>
}
