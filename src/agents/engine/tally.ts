/** A fold over the events of one run: its text, the open tool calls, and whether there was any output. */
import { type Clock, Predicate } from "effect"
import type { RunReport } from "../../cli/Decoder.ts"
import type { AgentEvent, NoticeEvent } from "../../contract/AgentEvent.ts"
import type { End } from "../../contract/Start.ts"
import { makeGrowingText } from "../../contract/text/growingText.ts"
import { startStopwatch } from "../../system/hostClock.ts"
import type { Ending } from "./judge.ts"
import { makeResult } from "./result.ts"

/** The tally of a whole run or turn. */
export interface ResultTally extends Tally {
  readonly end: (ending: Ending, report: RunReport, stderr: string) => End
}

export interface Tally {
  readonly push: (event: AgentEvent) => void
  /** Text of the main agent, without voided text. */
  readonly text: () => string
  readonly isToolOpen: () => boolean
  /** Text, thinking, a plan or a tool call had arrived, including voided ones and those of sub-agents. */
  readonly hadOutput: () => boolean
  /** A tool call was about a sub-agent. */
  readonly hadSubAgent: () => boolean
}

const voidedCharacters = (event: NoticeEvent) => {
  if (event.kind !== "text_voided") return 0
  const count = event.data?.["characters"]
  return Predicate.isNumber(count) ? count : 0
}

export const makeTally = (): Tally => {
  const text = makeGrowingText()
  const openTools = new Set<string>()
  let hadOutput = false
  let hadSubAgent = false
  return {
    push: (event) => {
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
    text: text.text,
    isToolOpen: () => openTools.size > 0,
    hadOutput: () => hadOutput,
    hadSubAgent: () => hadSubAgent
  }
}

export const makeResultTally = (clock: Clock.Clock): ResultTally => {
  const elapsedMs = startStopwatch(clock)
  const tally = makeTally()
  return {
    ...tally,
    end: (ending, report, stderr) => ({
      result: makeResult({ ending, text: tally.text(), durationMs: elapsedMs(), report, stderr }),
      failure: ending.failure,
      hadOutput: tally.hadOutput()
    })
  }
}
