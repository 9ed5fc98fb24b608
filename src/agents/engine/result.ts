/** The result of a run or a turn, the fold of its events from which it is made, and the events of a failure. */
import { type Clock, Predicate } from "effect"
import type { RunReport } from "../../cli/Decoder.ts"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent, ErrorEvent, NoticeEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import { runReason } from "../../contract/FailureReason.ts"
import { helpOf } from "../../contract/help.ts"
import type { End } from "../../contract/Start.ts"
import { makeGrowingText } from "../../contract/text/growingText.ts"
import { startStopwatch } from "../../system/hostClock.ts"
import type { Ending } from "./judge.ts"
import { retryTimesOf } from "./retryTime.ts"

/** Throws for an invalid reason, which the plan of an application's CLI may fail with. */
const ownCodes: ReadonlySet<string> = new Set(Object.values(runReason))

/** A CLI names its failures itself: none may pass as a refusal of ours, whose message is shown to people. */
const codeOf = (reason: FailureReason): string =>
  reason._tag === "AgentFailed" && ownCodes.has(reason.code) ? runReason.AgentFailed : reason.code

export const errorEvent = (reason: FailureReason): ErrorEvent => {
  if (!Object.hasOwn(runReason, reason._tag)) throw new TypeError("The failure is not a reason of AgentError")
  return {
    type: "error",
    message: reason.message,
    code: codeOf(reason),
    category: reason.category,
    retryable: reason.retryable,
    ...(reason._tag === "AgentFailed" ? retryTimesOf(reason) : {}),
    help: helpOf(reason)
  }
}

const outcomeOf = (failure: FailureReason | undefined): AgentRunResult["outcome"] => {
  if (failure === undefined) return "completed"
  if (failure._tag === "Aborted") return "aborted"
  return failure._tag === "TimedOut" ? "timed_out" : "failed"
}

export interface ResultParts {
  readonly ending: Ending
  readonly text: string
  readonly durationMs: number
  readonly report: RunReport
  readonly stderr: string
}

const stderrTailLength = 4_000

export const makeResult = ({ ending, text, durationMs, report, stderr }: ResultParts): AgentRunResult => {
  const { sessionId, usage, ...facts } = report
  const { failure, exit } = ending
  return {
    outcome: outcomeOf(failure),
    reason: failure === undefined ? "completed" : runReason[failure._tag],
    text,
    // The wrong session must not replace the one that the caller keeps.
    sessionId: failure?._tag === "SessionChanged" ? failure.asked : sessionId,
    durationMs,
    usage,
    aborted: failure?._tag === "Aborted",
    ...facts,
    ...(stderr === "" ? {} : { stderrTail: stderr.slice(-stderrTailLength) }),
    ...(failure?._tag === "AgentFailed" && failure.retryAt !== undefined ? { retryAt: failure.retryAt } : {}),
    ...(exit === undefined ? {} : { exit })
  }
}

/** The result of a run that failed before anything was started. */
export const resultOfNothing = (reason: FailureReason): AgentRunResult =>
  makeResult({ ending: { failure: reason }, text: "", durationMs: 0, report: {}, stderr: "" })

/** The event of such a run as that of a turn. */
export const asTurn = (event: AgentEvent): AgentEvent =>
  event.type === "done" ? { type: "turn_done", result: event.result } : event

/** All events of such a run. */
export const failedRun = (reason: FailureReason): ReadonlyArray<AgentEvent> => [
  errorEvent(reason),
  { type: "done", result: resultOfNothing(reason) }
]

export type ResultTally = ReturnType<typeof makeResultTally>

const voidedCharacters = (event: NoticeEvent) => {
  if (event.kind !== "text_voided") return 0
  const count = event.data?.["characters"]
  return Predicate.isNumber(count) ? count : 0
}

export const makeTally = () => {
  const text = makeGrowingText()
  const openTools = new Set<string>()
  let hadOutput = false
  let hadSubAgent = false
  return {
    push: (event: AgentEvent) => {
      switch (event.type) {
        case "text":
          hadOutput = true
          if (event.parentToolId === undefined) text.add(event.text)
          break
        case "thinking":
        case "plan":
          hadOutput = true
          break
        case "tool_use":
          hadOutput = true
          hadSubAgent ||= event.kind === "subagent"
          openTools.add(event.toolId)
          break
        case "tool_result":
          openTools.delete(event.toolId)
          break
        case "notice":
          text.dropLast(voidedCharacters(event))
          break
      }
    },
    /** Text of the main agent, without voided text. */
    text: text.text,
    isToolOpen: () => openTools.size > 0,
    /** Text, thinking, a plan or a tool call had arrived, including voided ones and those of sub-agents. */
    hadOutput: () => hadOutput,
    hadSubAgent: () => hadSubAgent
  }
}

/** The tally of a whole run or turn, which starts now. */
export const makeResultTally = (clock: Clock.Clock) => {
  const elapsedMs = startStopwatch(clock)
  const tally = makeTally()
  return {
    ...tally,
    end: (ending: Ending, report: RunReport, stderr: string): End => ({
      result: makeResult({ ending, text: tally.text(), durationMs: elapsedMs(), report, stderr }),
      failure: ending.failure,
      hadOutput: tally.hadOutput()
    })
  }
}
