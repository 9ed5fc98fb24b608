/** How a CLI's lines are read: its events, where the run stands, and what it says of the end. */
import type { FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { AgentUsage, ProcessExit, RunFacts } from "../contract/AgentRunResult.ts"

/** How the CLI itself says the run came out. */
export type Verdict = { readonly _tag: "Success" } | { readonly _tag: "Failure"; readonly reason: FailureReason }

/** What the CLI has told so far. */
export interface RunReport extends RunFacts {
  readonly sessionId?: string
  readonly usage?: AgentUsage
}

/**
 * Where an agent stands by what it has printed.
 * - `opening`: the handshake of a live session is not over.
 * - `working`: a turn is under way, or one that was handed over is still to begin.
 * - `background`: no turn, but the CLI waits for work of its own and may begin one: silence is no sign of trouble.
 * - `resting`: a turn is over. A run's CLI may still begin another one by itself; a live session waits to be asked.
 * - `ended`: the verdict of a run is certain and nothing can follow, whatever the process still does.
 */
export type Standing = "opening" | "working" | "background" | "resting" | "ended"

/** What a line of a known form means: it moves the state on, and is called in the order of the lines. */
export type Step<Wire, Output> = (wire: Wire, json: unknown) => ReadonlyArray<Output>

/** The form of a line's JSON, and what it means; closed over the vendor's `Wire`, which only these two know. */
export type Stages<Output> = <A>(use: <Wire>(wire: (json: unknown) => Wire, step: Step<Wire, Output>) => A) => A

/** Reads the wire lines of one run. */
export interface Decoder {
  readonly stages: Stages<AgentEvent>
  readonly standing: () => Standing
  readonly report: () => RunReport
  /** Undefined while the CLI has not said how the run came out. */
  readonly verdict: (exit: ProcessExit | undefined) => Verdict | undefined
}
