/** Redacts secrets in notices, which may quote any output, and in failures with text of the CLI; pure. */
import { Predicate } from "effect"
import { AgentFailed, type FailureReason, SchemaNotMet } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Redactor } from "../../system/process/redactor.ts"
import type { Ending } from "./judge.ts"
import { retryTimesOf } from "./retryTime.ts"

/** Redacts every text in a value. A quoted text may end in the middle of a secret. */
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

/** Redacts a failure with text of the CLI or of an answer. */
export const redactReason = (reason: FailureReason, redactor: Redactor): FailureReason => {
  if (reason._tag === "SchemaNotMet") {
    // Names of an answer, cut off.
    const errors = reason.errors.map(({ path, message }) => ({
      path: redactor.head(path),
      message: redactor.head(message)
    }))
    return new SchemaNotMet({ errors })
  }
  if (reason._tag !== "AgentFailed") return reason
  const { code, category, detail } = reason
  return new AgentFailed({ code, category, detail: redactor.text(detail), ...retryTimesOf(reason) })
}

export const redactEnding = (ending: Ending, redactor: Redactor): Ending =>
  ending.failure === undefined ? ending : { ...ending, failure: redactReason(ending.failure, redactor) }
