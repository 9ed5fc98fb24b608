/**
 * The `result` line → the report and the verdict of the run (0.61.0). It is the last line and it counts this run alone.
 * Numbers that are not what their names suggest are left out: time at the API, turns, cost.
 */
import { AgentFailed } from "../../../contract/AgentError.ts"
import type { AgentUsage, ProcessExit } from "../../../contract/AgentRunResult.ts"
import { addCounts, usageOf } from "../../../contract/addUsage.ts"
import type { RunReport, Standing, Verdict } from "../../Decoder.ts"
import type { Counts, RunResult } from "../wire.ts"
import { bareApiError, failureOf } from "./failures.ts"
import type { State } from "./state.ts"

/** The total has thoughts, too, which are paid for as output and have no count of their own. */
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
    ...(subtype == null ? {} : { errorSubtype: subtype })
  }
}

/** A prompt or a history over the context window ends the run like a good one, with no request and no word about it. */
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

/** Nothing can follow the result; but where it lacks the API's status, the exit code has it. */
export const standing = (state: State): Standing => {
  if (state.result === undefined) return "working"
  const verdict = verdictOf(state, undefined)
  return verdict?._tag === "Failure" && verdict.reason.code === bareApiError ? "resting" : "ended"
}
