/** State kept from line to line of one run of Codex (0.169.0). */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import type { RunReport, Verdict } from "../../Decoder.ts"
import { type Messages, makeMessages } from "./messages.ts"
import { nothing, type Totals } from "./totals.ts"

export interface State {
  readonly isFork: boolean
  readonly wantsJson: boolean
  /** The total of the thread before this run; undefined for an older thread, which others may have used. */
  readonly base: Totals | undefined
  /** Ids of tool items that have started and not completed, the oldest first. Changes in place, as `messages` do. */
  readonly open: Set<string>
  /** The last shown state of each todo list, as JSON, and how often it was shown. */
  readonly todos: Readonly<Record<string, { readonly shown: string; readonly times: number }>>
  readonly messages: Messages
  /** A top-level `error` that is either the copy of the failure that follows or the sign of a retry. */
  readonly heldError: string | undefined
  readonly report: RunReport
  readonly verdict: Verdict | undefined
}

export const start = (params: AgentExecuteParams): State => ({
  isFork: params.forkSession === true,
  wantsJson: params.outputSchema !== undefined,
  base: params.sessionId === undefined ? nothing : undefined,
  open: new Set(),
  todos: {},
  messages: makeMessages(),
  heldError: undefined,
  report: {},
  verdict: undefined
})

/** The state after a line, and the events of the line. */
export type Step = readonly [State, ReadonlyArray<AgentEvent>]
