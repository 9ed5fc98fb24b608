/** Events of a turn → its outcome: the result, the failure, and the payloads of the answer; pure. */
import type { AgentEvent, ErrorEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { ErrorCategory } from "../../contract/ErrorCategory.ts"
import { makeGrowingText } from "../../contract/text/growingText.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import { momentIn, safe } from "../texts.ts"

/** Texts for the people of a chat, by category: output of a provider or CLI is never shown. */
const words: { readonly [Category in ErrorCategory]: string } = {
  auth: "The agent is not signed in.",
  billing: "The agent's account has no credit left, or a budget is used up.",
  rate_limit: "The agent's provider accepts no more requests for now.",
  overloaded: "The agent's provider is overloaded.",
  context_overflow: "The conversation is too long for the model. /new starts a new one.",
  invalid_request: "The agent's provider refused the request.",
  network: "The agent's provider could not be reached.",
  not_installed: "The agent is not installed on this machine.",
  spawn: "The agent could not be started.",
  timeout: "The agent took too long and was stopped.",
  aborted: "Stopped.",
  permission: "The agent was not allowed to continue.",
  session_not_found: "The agent no longer has this conversation. /new starts a new one.",
  protocol: "The agent's output could not be understood.",
  crash: "The agent crashed.",
  busy: "The conversation is in use elsewhere.",
  other: "The agent failed."
}

/** Longer waits are shown by their end, if it is known. */
const shortMs = 10 * 60_000

/** In minutes, and in hours above two. */
const waitText = ({ retryAfterMs, retryAt }: ErrorEvent, zone: string): string => {
  if (retryAt !== undefined && (retryAfterMs ?? shortMs) >= shortMs) {
    return ` Try again after ${momentIn(zone)(Date.parse(retryAt))}.`
  }
  if (retryAfterMs === undefined) return ""
  const minutes = Math.ceil(retryAfterMs / 60_000)
  return minutes > 120 ? ` Try again in ${Math.ceil(minutes / 60)} hours.` : ` Try again in ${minutes} min.`
}

/** A name of a budget has 64 characters at most. */
const longestBudget = 400

/** Moments in UTC, as messages have them, in the person's zone. */
const inZone = (text: string, zone: string) =>
  text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (moment) => momentIn(zone)(Date.parse(moment)))

/** An invalid parameter: no provider was asked. Values that people do not choose, such as paths of the host, are not shown. */
const refusalText = (message: string): string => {
  const option = message.slice(0, message.indexOf(":"))
  if (option === "prompt") return "The agent cannot be asked that: the message is empty or too long."
  if (option === "workingDirectory") return "The directory where the agent works cannot be used."
  const isChosenHere = option === "model" || option === "effort" || option === "permissionMode"
  return isChosenHere
    ? `The agent cannot be asked: ${safe(message, longestBudget)}.`
    : `The agent cannot be asked: its ${safe(option, 60)} cannot be used.`
}

/** `zone`: that of the person, for the end of a limit. */
export const failureText = (event: ErrorEvent, zone: string): string => {
  const { category, code } = event
  if (code === "turn_interrupted")
    return "The host was restarted while the agent was working: what it has done is unknown."
  if (code === "store_unavailable") return "The host cannot write to its store, so the agent was not asked."
  if (code === "home_unavailable") return "The machine that runs this conversation cannot be reached."
  // Names the CLI and the option, which are words of this package or of the application.
  if (code === "unsupported_option") return `${safe(event.message, longestBudget)}.`
  const isOfBudget = code === "budget_exceeded" && event.message.startsWith("The budget ")
  if (isOfBudget) return `${safe(inZone(event.message, zone), longestBudget)}.`
  if (code === "invalid_params") return refusalText(event.message)
  return `${words[category]}${waitText(event, zone)}`
}

export interface Outcome {
  readonly result: AgentRunResult
  /** The failure of an incomplete turn. */
  readonly failure?: ErrorEvent
  /** Whether there was text, thinking, a plan or a tool call. */
  readonly hadOutput: boolean
}

/** A turn that ended without a result. */
const nothing: AgentRunResult = {
  outcome: "failed",
  reason: "no_result",
  text: "",
  sessionId: undefined,
  durationMs: 0,
  usage: undefined,
  aborted: false
}

interface OutcomeFold {
  readonly push: (event: AgentEvent) => void
  /** Whether there was output so far. */
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
      // Without an end, the text so far is the answer.
      if (result === undefined) {
        return { result: { ...nothing, text: text.text() }, hadOutput, failure: failure ?? noResult }
      }
      const end = result
      return { result: end, hadOutput, ...(failure === undefined || end.outcome === "completed" ? {} : { failure }) }
    }
  }
}

/** The outcome of a defect. It counts as output, so that the turn is not retried. */
export const broken: Outcome = {
  result: nothing,
  failure: { type: "error", message: "the turn broke off", code: "defect", category: "other", retryable: false },
  hadOutput: true
}

/** The answer, then the reason why it is incomplete. */
export const payloadsOf = ({ result, failure }: Outcome, zone: string): ReadonlyArray<ReplyPayload> => [
  ...(result.text.trim() === "" ? [] : [{ text: result.text }]),
  ...(failure === undefined ? [] : [{ text: failureText(failure, zone), isError: true }])
]

/** The end of the limit at which a turn failed that did nothing, in ms since 1970. */
export const retryTimeOf = ({ failure, hadOutput }: Outcome): number | undefined => {
  const at = Date.parse(failure?.retryAt ?? "")
  return hadOutput || failure?.retryable !== true || Number.isNaN(at) ? undefined : at
}
