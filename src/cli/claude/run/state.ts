/** What is kept from line to line of one run of Claude Code, and where the run stands by it (2.1.328). */
import type { AgentEvent, SessionEvent } from "../../../contract/AgentEvent.ts"
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import { addUsage, isSameUsage } from "../../../contract/usage.ts"
import type { RunReport, Standing, Verdict } from "../../Decoder.ts"
import { type Answers, makeAnswers } from "./answers.ts"
import { type Background, isQuiet, noBackground } from "./background.ts"
import type { ApiError } from "./result.ts"
import { makeStreams, type Streams } from "./streams.ts"
import { isNothing, makeTotals, type Totals } from "./totals.ts"

export interface State {
  readonly session: SessionEvent | undefined
  /** This and the two after it change in place. */
  readonly streams: Streams
  readonly answers: Answers
  readonly totals: Totals
  /** The message that is being streamed, for deltas that do not name it. */
  readonly messageId: string
  /** Its counts are told to the end; of a stream that was given up they never are. */
  readonly isCounted: boolean
  /** Of the newest answer of the main thread, once it has ended. */
  readonly stopReason: string | undefined
  /** Of the newest answer. */
  readonly model: string | undefined
  /** Tool results and other messages that the model was given since the last result, on the main thread. */
  readonly inputs: number
  /** What the last event told of usage and cost. */
  readonly lastUsage: { readonly usage: AgentUsage; readonly totalCostUsd: number | undefined } | undefined
  /** Turns begun and turns ended; background work can begin a turn before the result of the one before is told. */
  readonly inits: number
  readonly results: number
  /** The result that came was the last. Work that ends only after it can begin a turn, or was ended with the CLI. */
  readonly isLast: boolean
  readonly background: Background
  /** Grows in place: thousands may be open at once. Tool calls whose denial was announced. */
  readonly denied: Set<string>
  readonly apiError: ApiError | undefined
  /** By the results so far. */
  readonly report: RunReport
  readonly verdict: Verdict | undefined
}

/** `resumed`: the session is older than this process, and so are its totals. */
export const start = (resumed: boolean): State => ({
  session: undefined,
  streams: makeStreams(),
  answers: makeAnswers(),
  totals: makeTotals(resumed),
  messageId: "",
  isCounted: true,
  stopReason: undefined,
  model: undefined,
  inputs: 0,
  lastUsage: undefined,
  inits: 0,
  results: 0,
  isLast: false,
  background: noBackground,
  denied: new Set(),
  apiError: undefined,
  report: {},
  verdict: undefined
})

/** The state after a line, and the events of the line. */
export type Step = readonly [State, ReadonlyArray<AgentEvent>]

/** What is known of the run now, also where it is cut off before its next result. */
export const report = (state: State): RunReport => {
  const { report: last, answers, stopReason, inputs } = state
  const more = answers.sum()
  const usage = addUsage(last.usage, more)
  if (usage === undefined || more === undefined) return last
  const { stopReason: _, ...facts } = last
  const numTurns = (last.numTurns ?? 0) + 1 + inputs
  return { ...facts, usage, numTurns, ...(stopReason === undefined ? {} : { stopReason }) }
}

/** The event at the end of an answer, which may say nothing of what it used. */
export const answerUsage = (state: State): Step => (isNothing(state.answers.sum()) ? [state, []] : usageEvents(state))

/** One event at the end of each answer and result, where it has news. */
export const usageEvents = (state: State): Step => {
  const { usage, ...facts } = report(state)
  const { lastUsage, model, answers } = state
  // What answers cost is told by their result.
  const totalCostUsd = answers.sum() === undefined ? facts.totalCostUsd : undefined
  const isOld = lastUsage !== undefined && isSameUsage(usage, lastUsage.usage)
  if (usage === undefined || (isOld && lastUsage.totalCostUsd === totalCostUsd)) return [state, []]
  const event: AgentEvent = {
    type: "usage",
    usage,
    ...(totalCostUsd === undefined ? {} : { totalCostUsd }),
    ...(model === undefined ? {} : { model })
  }
  return [{ ...state, lastUsage: { usage, totalCostUsd } }, [event]]
}

export const standing = (state: State): Standing => {
  if (state.background.tasks.length > 0) return "background"
  if (state.results === 0 || state.results < state.inits) return "working"
  return state.isLast ? "ended" : "resting"
}

/** The success of one turn says nothing of a turn that has begun since. */
export const lastVerdict = ({ verdict, inits, results }: State): Verdict | undefined =>
  verdict?._tag === "Success" && results < inits ? undefined : verdict

/** Nothing that is known of can follow the result that has just come. */
export const hasNothingLeft = (state: State) => state.results >= state.inits && isQuiet(state.background)
