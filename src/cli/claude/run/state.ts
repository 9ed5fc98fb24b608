/** State kept from line to line of one run of Claude Code (2.1.328). */
import type { AgentEvent, SessionEvent } from "../../../contract/AgentEvent.ts"
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import { addUsage, isSameUsage } from "../../../contract/addUsage.ts"
import type { RunReport, Verdict } from "../../Decoder.ts"
import { type Answers, makeAnswers } from "./answers.ts"
import { type Background, isQuiet, noBackground } from "./background.ts"
import type { ApiError } from "./result.ts"
import { makeStreams, type Streams } from "./streams.ts"
import { isNothing, makeTotals, type Totals } from "./totals.ts"

export interface State {
  readonly session: SessionEvent | undefined
  /** The same as JSON, to recognise repetitions. */
  readonly sessionJson: string | undefined
  /** Changes in place, as the next two. */
  readonly streams: Streams
  readonly answers: Answers
  readonly totals: Totals
  /** The message that is being streamed, for deltas that do not name it. */
  readonly messageId: string
  /** Its counts are complete; those of an abandoned stream never are. */
  readonly isCounted: boolean
  /** Stop reason of the newest answer of the main thread, once it has ended. */
  readonly stopReason: string | undefined
  /** A turn has ended, and no message has begun since. */
  readonly isApart: boolean
  /** The newest message of the main thread has ended with `end_turn`, and nothing has followed that continues the turn. */
  readonly isAnswered: boolean
  /** Ids of the hooks that have run since the newest message, and run still. Changes in place. */
  readonly hooks: Set<string>
  /** Model of the newest answer. */
  readonly model: string | undefined
  /** Tool results and other messages sent to the model since the last result, on the main thread. */
  readonly inputs: number
  /** Usage and cost in the last event. */
  readonly lastUsage: { readonly usage: AgentUsage; readonly totalCostUsd: number | undefined } | undefined
  /** Turns started and turns ended; background work can start a turn before the result of the previous one. */
  readonly inits: number
  readonly results: number
  /** The result was the last one, unless work that ends after it starts a turn. */
  readonly isLast: boolean
  readonly background: Background
  /** Tool calls whose denial was announced. Grows in place: there may be thousands. */
  readonly denied: Set<string>
  readonly apiError: ApiError | undefined
  /** ISO time of the end of the limit that refuses requests. */
  readonly limitEnds: string | undefined
  /** By the results so far. */
  readonly report: RunReport
  readonly verdict: Verdict | undefined
}

/** `resumed`: the session is older than this process, and so are its totals. */
export const start = (resumed: boolean): State => ({
  session: undefined,
  sessionJson: undefined,
  streams: makeStreams(),
  answers: makeAnswers(),
  totals: makeTotals(resumed),
  messageId: "",
  isCounted: true,
  stopReason: undefined,
  isApart: false,
  isAnswered: false,
  hooks: new Set(),
  model: undefined,
  inputs: 0,
  lastUsage: undefined,
  inits: 0,
  results: 0,
  isLast: false,
  background: noBackground,
  denied: new Set(),
  apiError: undefined,
  limitEnds: undefined,
  report: {},
  verdict: undefined
})

/** The state after a line, and the events of the line. */
export type Step = readonly [State, ReadonlyArray<AgentEvent>]

/** Copies only if there is one. */
const withoutStopReason = (last: RunReport): RunReport => {
  if (!("stopReason" in last)) return last
  const { stopReason: _, ...facts } = last
  return facts
}

/** The report so far, also for a run that is cut off before its next result. */
export const report = (state: State): RunReport => {
  const { report: last, answers, stopReason, inputs } = state
  const more = answers.sum()
  const usage = addUsage(last.usage, more)
  if (usage === undefined || more === undefined) return last
  const facts = withoutStopReason(last)
  const numTurns = (last.numTurns ?? 0) + 1 + inputs
  return { ...facts, usage, numTurns, ...(stopReason === undefined ? {} : { stopReason }) }
}

/** The event at the end of an answer, which may report no usage. */
export const answerUsage = (state: State): Step => (isNothing(state.answers.sum()) ? [state, []] : usageEvents(state))

/** One event at the end of each answer and result, if anything changed. */
export const usageEvents = (state: State): Step => {
  const { usage, totalCostUsd: costSoFar } = report(state)
  const { lastUsage, model, answers } = state
  // The cost of answers comes with their result.
  const totalCostUsd = answers.sum() === undefined ? costSoFar : undefined
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

/** The success of one turn does not cover a turn that has started since. */
export const lastVerdict = ({ verdict, inits, results }: State): Verdict | undefined =>
  verdict?._tag === "Success" && results < inits ? undefined : verdict

/** Only the result of the turn is missing. */
export const lacksResult = ({ isAnswered, hooks, background }: State): boolean =>
  isAnswered && hooks.size === 0 && isQuiet(background)

/** No known work can follow the latest result. */
export const hasNothingLeft = (state: State) => state.results >= state.inits && isQuiet(state.background)
