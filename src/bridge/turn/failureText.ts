/** A failure of a run in words for the people of a chat: by its category, never by what a provider or a CLI printed. */
import type { ErrorEvent } from "../../contract/AgentEvent.ts"
import type { ErrorCategory } from "../../contract/ErrorCategory.ts"

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
