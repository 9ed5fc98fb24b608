/** The events of a turn → what came of it: its result, its failure, and what is to be said; pure. */
import type { AgentEvent, ErrorEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { ErrorCategory } from "../../contract/ErrorCategory.ts"
import { makeGrowingText } from "../../contract/text/growingText.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"

/** A failure of a run in words for the people of a chat: by its category, never by what a provider or a CLI printed. */
const words: { readonly [Category in ErrorCategory]: string } = {
  auth: "The agent is not signed in.",
  billing: "The agent's account has no credit left, or a budget is used up.",
  rate_limit: "The agent's provider takes no more requests for now.",
  overloaded: "The agent's provider is overloaded.",
  context_overflow: "The conversation has become too long for the model. /new begins a new one.",
  invalid_request: "The agent's provider refused the request.",
  network: "The agent's provider could not be reached.",
  not_installed: "The agent is not installed on this machine.",
  spawn: "The agent could not be started.",
  timeout: "The agent took too long and was stopped.",
  aborted: "Stopped.",
  permission: "The agent was not allowed to go on.",
  session_not_found: "The agent no longer has this conversation. /new begins a new one.",
  protocol: "The agent gave an answer that could not be understood.",
  crash: "The agent crashed.",
  busy: "The conversation is in use elsewhere.",
  other: "The agent failed."
}

/** Two hours and more are not told to the second. */
const waitText = (retryAfterMs: number): string => {
  const minutes = Math.ceil(retryAfterMs / 60_000)
  return minutes > 120 ? ` Try again in ${Math.ceil(minutes / 60)} hours.` : ` Try again in ${minutes} min.`
}

export const failureText = ({ category, retryAfterMs, code }: ErrorEvent): string => {
  if (code === "turn_interrupted")
    return "The host was restarted while the agent was at work: what it has done is not known."
  if (code === "store_unavailable") return "The host cannot write to its store: the agent was not asked."
  if (code === "home_unavailable") return "The machine on which this conversation works cannot be reached."
  // Of a parameter: no provider was asked.
  if (code === "invalid_params") return "The agent cannot be asked that: there is nothing in it, or too much."
  return `${words[category]}${retryAfterMs === undefined ? "" : waitText(retryAfterMs)}`
}

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
