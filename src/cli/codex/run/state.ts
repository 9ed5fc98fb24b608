/** State kept from line to line of one run of Codex (0.169.0). */
import { Result } from "effect"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import { countNames, usageOf } from "../../../contract/addUsage.ts"
import type { RunReport, Verdict } from "../../Decoder.ts"
import { at } from "../../jsonFields.ts"
import * as Wire from "../wire.ts"
import { type Messages, makeMessages } from "./messages.ts"

/** Input, output, cache reads, cache writes; an unreported count is undefined. */
export type Totals = Required<{ readonly [Name in keyof AgentUsage]: number | undefined }>

export const nothing: Totals = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

export const totalsOf = (usage: Wire.Totals): Totals => ({
  // Codex counts cached tokens among the input; other CLIs do not.
  inputTokens:
    usage.input_tokens == null ? undefined : Math.max(0, usage.input_tokens - (usage.cached_input_tokens ?? 0)),
  outputTokens: usage.output_tokens ?? undefined,
  cacheReadTokens: usage.cached_input_tokens ?? undefined,
  cacheWriteTokens: usage.cache_write_input_tokens ?? undefined
})

/** Usage between two totals; undefined if counts are missing or decrease. */
export const difference = (after: Totals, before: Totals): AgentUsage | undefined => {
  const counts = countNames.flatMap((name) => {
    const [from, to] = [before[name], after[name]]
    return from === undefined || to === undefined ? [] : [[name, to - from] as const]
  })
  return counts.some(([, count]) => count < 0) ? undefined : usageOf(Object.fromEntries(counts))
}

/** Usage of a turn so far, in a record of the CLI's own files. */
export const recordedUsage = (record: unknown): AgentUsage | undefined => {
  const totals = Wire.decodeTotals(at(record, "turn_token_usage"))
  return Result.isSuccess(totals) ? difference(totalsOf(totals.success), nothing) : undefined
}

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
  /** A top-level `error`: the copy of the failure that follows, or the sign of a retry. */
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
