/** The events of a turn → what came of it: its result, its failure, and what is to be said; pure. */
import type { AgentEvent, ErrorEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import { makeGrowingText } from "../../contract/text/growingText.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import { failureText } from "./failureText.ts"

export interface Outcome {
  readonly result: AgentRunResult
  /** Of one that did not complete. */
  readonly failure?: ErrorEvent
  /** There was text, thinking or a tool call. */
  readonly hadOutput: boolean
}

/** Of a turn that ended without a result. */
const nothing: AgentRunResult = {
  outcome: "failed",
  reason: "no_result",
  text: "",
  sessionId: undefined,
  durationMs: 0,
  usage: undefined,
  aborted: false
}

export interface OutcomeFold {
  readonly push: (event: AgentEvent) => void
  /** So far. */
  readonly hadOutput: () => boolean
  readonly outcome: () => Outcome
}

const output: ReadonlySet<AgentEvent["type"]> = new Set(["text", "thinking", "tool_use", "plan"])

const noResult: ErrorEvent = {
  type: "error",
  message: "the turn ended without a result",
  code: "no_result",
  category: "crash",
  retryable: false
}

const voidedIn = (event: AgentEvent): number =>
  event.type === "notice" && event.kind === "text_voided" ? (event.data?.characters ?? 0) : 0

export const makeOutcome = (): OutcomeFold => {
  const text = makeGrowingText()
  let failure: ErrorEvent | undefined
  let result: AgentRunResult | undefined
  let hadOutput = false
  return {
    push: (event) => {
      hadOutput ||= output.has(event.type)
      if (event.parentToolId !== undefined) return
      if (event.type === "text") text.add(event.text)
      text.dropLast(voidedIn(event))
      if (event.type === "error") failure = event
      if (event.type === "turn_done" || event.type === "done") result = event.result
    },
    hadOutput: () => hadOutput,
    outcome: () => {
      // What was said is said, also where no end came.
      if (result === undefined) {
        return { result: { ...nothing, text: text.text() }, hadOutput, failure: failure ?? noResult }
      }
      const end = result
      return { result: end, hadOutput, ...(failure === undefined || end.outcome === "completed" ? {} : { failure }) }
    }
  }
}

/** Of a turn that met a mistake of this program or of an agent's: it is not tried for ever. */
export const broken: Outcome = {
  result: nothing,
  failure: { type: "error", message: "the turn broke off", code: "defect", category: "other", retryable: false },
  hadOutput: true
}

/** The answer, and behind it why there is no more of it. */
export const payloadsOf = ({ result, failure }: Outcome): ReadonlyArray<ReplyPayload> => [
  ...(result.text.trim() === "" ? [] : [{ text: result.text }]),
  ...(failure === undefined ? [] : [{ text: failureText(failure), isError: true }])
]
