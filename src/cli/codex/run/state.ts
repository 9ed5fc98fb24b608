/** What is kept from line to line of one run of Codex, and where the run stands by it (0.169.0). */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import type { RunReport, Standing, Verdict } from "../../Decoder.ts"
import { makeReplay, type Replay } from "./replay.ts"
import type { ThreadTotals, Totals } from "./totals.ts"

export interface State {
  /** Not a recording that is read: what that tells is history. */
  readonly isRun: boolean
  readonly isFork: boolean
  readonly wantsJson: boolean
  /** The total of the thread before this run; undefined when that is not known. */
  readonly base: Totals | undefined
  /** The total of the thread after this run, once it is told. */
  readonly total: ThreadTotals | undefined
  /** Ids of tool items that have started and not completed, the oldest first. Changes in place, as `replay` does. */
  readonly open: Set<string>
  /** What was last shown of each todo list, as JSON, and how often it was shown. */
  readonly todos: Readonly<Record<string, { readonly shown: string; readonly times: number }>>
  readonly replay: Replay
  readonly lastMessage: string | undefined
  /** A top-level `error` that is either the copy of the failure that follows or the sign of a retry. */
  readonly heldError: string | undefined
  readonly report: RunReport
  readonly verdict: Verdict | undefined
}

export const start = (params: AgentExecuteParams, base: Totals | undefined): State => ({
  isRun: params.prompt !== "",
  isFork: params.forkSession === true,
  wantsJson: params.outputSchema !== undefined,
  base,
  total: undefined,
  open: new Set(),
  todos: {},
  replay: makeReplay(),
  lastMessage: undefined,
  heldError: undefined,
  report: {},
  verdict: undefined
})

/** The state after a line, and the events of the line. */
export type Step = readonly [State, ReadonlyArray<AgentEvent>]

/** Only the exit makes the verdict certain; what was told at the end of the turn holds if the process lingers. */
export const standing = ({ verdict }: State): Standing => (verdict === undefined ? "working" : "resting")
