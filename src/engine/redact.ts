/**
 * Takes secrets out of what is told about a run: of notices, which may quote a foreign line, and of the failure in the
 * CLI's words; pure. What the agent itself says is told as it is.
 */
import { Predicate } from "effect"
import { AgentFailed, type FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { Redactor } from "../process/redactor.ts"
import type { Ending } from "./judge.ts"

/** Every text in it. What is quoted may end in the middle of a secret. */
const redactAll = (value: unknown, redactor: Redactor): unknown => {
  if (typeof value === "string") return redactor.head(value)
  if (Array.isArray(value)) return value.map((item) => redactAll(item, redactor))
  return Predicate.isObject(value) ? redactFields(value, redactor) : value
}

const redactFields = (fields: object, redactor: Redactor) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, redactAll(value, redactor)]))

export const redactEvent = (event: AgentEvent, redactor: Redactor): AgentEvent => {
  if (event.type !== "notice") return event
  const message = redactor.text(event.message)
  return event.data === undefined
    ? { ...event, message }
    : { ...event, message, data: { ...event.data, ...redactFields(event.data, redactor) } }
}

/** A failure in the CLI's own words. */
export const redactReason = (reason: FailureReason, redactor: Redactor): FailureReason => {
  if (reason._tag !== "AgentFailed") return reason
  const { code, category, detail, retryAfterMs } = reason
  const told = { code, category, detail: redactor.text(detail) }
  return new AgentFailed(retryAfterMs === undefined ? told : { ...told, retryAfterMs })
}

export const redactEnding = (ending: Ending, redactor: Redactor): Ending =>
  ending.failure === undefined ? ending : { ...ending, failure: redactReason(ending.failure, redactor) }
