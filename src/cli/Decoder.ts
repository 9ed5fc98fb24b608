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
 * Where a run stands by what the CLI has printed. `working`: a turn is under way. `background`: the CLI waits for work
 * of its own, and silence is no sign of trouble. `resting`: it has given a result, but may begin another turn by
 * itself. `ended`: the verdict is certain and nothing can follow, whatever the process still does.
 */
export type Standing = "working" | "background" | "resting" | "ended"

/** Reads the wire lines of one run. */
export interface Decoder {
  /** The events of one decoded wire line. */
  readonly push: (json: unknown) => ReadonlyArray<AgentEvent>
  readonly standing: () => Standing
  readonly report: () => RunReport
  /** Undefined while the CLI has not said how the run came out. */
  readonly verdict: (exit: ProcessExit | undefined) => Verdict | undefined
}
