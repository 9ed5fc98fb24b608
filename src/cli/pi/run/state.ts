/**
 * State kept from line to line of one run of Pi (1.6.0), or of one turn of a live session, with the report and the verdict
 * that follow from it. Pi prints no result: the last message of the model is the verdict, and the exit code is 0 for every
 * error of a model.
 */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { AgentUsage, ProcessExit } from "../../../contract/AgentRunResult.ts"
import { addCounts, addUsage, usageOf } from "../../../contract/addUsage.ts"
import type { RunReport, Standing, Verdict } from "../../Decoder.ts"
import { entryOf, present } from "../../jsonFields.ts"
import type { Message } from "../wire.ts"
import { failureOf } from "./failures.ts"

/** The message of the model that is under way, or the newest. */
interface Spoken {
  /**
   * Characters (UTF-16 code units) of each block that were given, by its index. Changed in place: with a copy for each piece,
   * an agent that prints many blocks would hold up its host for minutes.
   */
  readonly lengths: Map<number, number>
  /** Characters of its text. */
  readonly characters: number
}

export const silence = (): Spoken => ({ lengths: new Map(), characters: 0 })

export interface State {
  readonly spoken: Spoken
  /** Characters of text that are still valid. */
  readonly textLength: number
  /** The end of the newest message of the model; undefined while one is under way. */
  readonly last: Pick<Message, "stopReason" | "errorMessage"> | undefined
  /** Between `agent_end` and what may follow it. */
  readonly isAtRest: boolean
  readonly isCompacting: boolean
  readonly report: RunReport
}

export const start = (): State => ({
  spoken: silence(),
  textLength: 0,
  last: undefined,
  isAtRest: false,
  isCompacting: false,
  report: {}
})

/** The state after a line, and the events of the line. */
export type Step = readonly [State, ReadonlyArray<AgentEvent>]

const stopReasons: Readonly<Record<string, string>> = { stop: "end_turn", length: "max_tokens", toolUse: "tool_use" }

/** All are 0 where nothing was told, as of an attempt whose connection was cut. */
const usageOfMessage = ({ usage }: Message): AgentUsage | undefined => {
  const { input, output, cacheRead, cacheWrite } = usage ?? {}
  if (![input, output, cacheRead, cacheWrite].some(Boolean)) return undefined
  return usageOf({
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite
  })
}

/** Undefined for a model without a price: a sum of 0. */
const costOf = ({ usage }: Message): number | undefined => usage?.cost?.total || undefined

export const modelOf = ({ provider, model }: Pick<Message, "provider" | "model">): string | undefined =>
  model == null || provider == null ? (model ?? undefined) : `${provider}/${model}`

/** The report with one more message; one that failed has its counts, too. */
export const addMessage = (report: RunReport, message: Message): RunReport => {
  const { stopReason } = message
  return {
    ...report,
    numTurns: (report.numTurns ?? 0) + 1,
    ...present({
      stopReason: stopReason == null ? undefined : (entryOf(stopReasons, stopReason) ?? stopReason),
      usage: addUsage(report.usage, usageOfMessage(message)),
      totalCostUsd: addCounts(report.totalCostUsd, costOf(message))
    })
  }
}

const finished: ReadonlySet<string | null | undefined> = new Set(["stop", "length"])

/** A tool of an extension can end the turn. */
const isFinished = ({ last, isAtRest }: State) =>
  finished.has(last?.stopReason) || (isAtRest && last?.stopReason === "toolUse")

/** Certain with the exit alone: a failed attempt may be followed by another. */
export const verdictOf = (state: State, exit: ProcessExit | undefined): Verdict | undefined => {
  const { last } = state
  if (last?.stopReason === "error") return { _tag: "Failure", reason: failureOf(last.errorMessage) }
  const isClean = exit === undefined || ("code" in exit && exit.code === 0)
  return isFinished(state) && isClean ? { _tag: "Success" } : undefined
}

/** A process that is silent after a whole answer is done; after a failed attempt it may be about to repeat it. */
export const standingOf = (state: State): Standing =>
  state.isAtRest && !state.isCompacting && isFinished(state) ? "resting" : "working"
