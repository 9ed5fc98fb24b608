/**
 * State kept from line to line of one run of Gemini CLI (0.61.0), with the report and the verdict that its `result` line makes.
 * That is the last line and counts this run alone. Time at the API, turns and cost are left out: their numbers mislead.
 */
import { AgentFailed } from "../../../contract/AgentError.ts"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import type { AgentUsage, PermissionDenial, ProcessExit } from "../../../contract/AgentRunResult.ts"
import { addCounts, usageOf } from "../../../contract/addUsage.ts"
import type { RunReport, Standing, Verdict } from "../../Decoder.ts"
import { present } from "../../jsonFields.ts"
import type { Counts, RunResult, ToolUse } from "../wire.ts"
import { bareApiError, failureOf } from "./failures.ts"

export interface State {
  /** The model has answered or called a tool, or need not, since a slash command may be the whole run. */
  readonly hasAnswer: boolean
  /** The names of the servers of the params. */
  readonly servers: ReadonlyArray<string>
  /** Open calls by id: a `tool_result` does not repeat the name. Changed in place: a copy for each would hold up the host. */
  readonly calls: Map<string, ToolUse>
  readonly denials: ReadonlyArray<PermissionDenial>
  /** Deltas have come since the last line of another kind. */
  readonly isStreaming: boolean
  /** The last `error` line of a failure or, without one, the first warning. */
  readonly error: { readonly message: string; readonly isFailure: boolean } | undefined
  readonly report: RunReport
  /** The last line. */
  readonly result: RunResult | undefined
}

export const start = (params: AgentExecuteParams): State => ({
  hasAnswer: params.slashCommands === true,
  servers: Object.keys(params.mcpServers ?? {}),
  calls: new Map(),
  denials: [],
  isStreaming: false,
  error: undefined,
  report: {},
  result: undefined
})

/** The state after a line, and the events of the line. */
export type Step = readonly [State, ReadonlyArray<AgentEvent>]

/** Thoughts are paid for as output; only the total counts them. */
const thoughtsOf = ({ input_tokens, output_tokens, total_tokens }: Counts): number | undefined =>
  input_tokens == null || output_tokens == null || total_tokens == null
    ? undefined
    : Math.max(0, total_tokens - input_tokens - output_tokens)

/** `inputTokens` are the uncached ones, so that they and `cacheReadTokens` add up. */
const runUsage = (counts: Counts): AgentUsage | undefined => {
  const { input, input_tokens: all, output_tokens, cached } = counts
  return usageOf({
    inputTokens: input ?? (all == null ? undefined : Math.max(0, all - (cached ?? 0))),
    outputTokens: addCounts(output_tokens, thoughtsOf(counts)),
    cacheReadTokens: cached === 0 ? undefined : cached
  })
}

export const addResult = (report: RunReport, { status, error, stats }: RunResult): RunReport => {
  const subtype = status === "success" || error?.type === "unknown" ? undefined : error?.type
  const usage = stats == null ? undefined : runUsage(stats)
  const models = Object.entries(stats?.models ?? {}).flatMap(([model, counts]) => {
    const known = runUsage(counts)
    return known === undefined ? [] : [[model, known] as const]
  })
  return {
    ...report,
    ...(usage === undefined ? {} : { usage, modelUsage: Object.fromEntries(models) }),
    ...present({ errorSubtype: subtype })
  }
}

/** A prompt or a history over the context window silently ends the run like a success, without any request. */
const notAsked = new AgentFailed({
  code: "not_asked",
  category: "context_overflow",
  detail: "Gemini CLI ended without asking the model: the conversation does not fit into its context window"
})

const failure = (reason: AgentFailed): Verdict => ({ _tag: "Failure", reason })

export const verdictOf = (state: State, exit: ProcessExit | undefined): Verdict | undefined => {
  const { result, error, hasAnswer } = state
  if (result === undefined) {
    const isFailure = exit !== undefined && error?.isFailure === true
    return isFailure ? failure(failureOf({ message: error.message }, exit)) : undefined
  }
  if (result.error != null) return failure(failureOf(result.error, exit))
  if (result.status !== "success") return failure(failureOf({ message: error?.message ?? "" }, exit))
  const models = result.stats?.models
  const askedNothing = models != null && Object.keys(models).length === 0
  if (askedNothing && error === undefined && !hasAnswer) return failure(notAsked)
  return { _tag: "Success" }
}

/** Nothing can follow the result; but if it lacks the API's status, the exit code has it. */
export const standing = (state: State): Standing => {
  if (state.result === undefined) return "working"
  const verdict = verdictOf(state, undefined)
  return verdict?._tag === "Failure" && verdict.reason.code === bareApiError ? "resting" : "ended"
}
