/** The message of `turn.failed` → a reason. Codex gives no code with it (0.169.0): fixed phrases are recognised. */
import { Predicate } from "effect"
import { AgentFailed } from "../../../contract/AgentError.ts"
import { classify } from "../../../contract/errors/classify.ts"
import { isoTime } from "../../../contract/text/amounts.ts"
import { firstOf, numberAt, parsed, present } from "../../jsonFields.ts"
import { textIn } from "../../toolInputs.ts"

interface Phrase {
  readonly words: RegExp
  readonly code: string
  /** A word of the shared table with the same meaning, if `code` has no entry. */
  readonly like?: string
}

const modelNotFound = "model_not_found"

const phrases: ReadonlyArray<Phrase> = [
  { words: /^Missing environment variable:/, code: "missing_credentials", like: "authentication_failed" },
  { words: /ran out of room in the model.s context window/, code: "context_length_exceeded" },
  { words: /hit your usage limit/, code: "usage_limit_reached" },
  { words: /^To use Codex with your ChatGPT plan, upgrade/, code: "usage_not_included" },
  { words: /^Quota exceeded\./, code: "insufficient_quota" },
  { words: /^rate limit exceeded:/i, code: "rate_limit" },
  { words: /currently experiencing high demand/, code: "server_error" },
  { words: /^Selected model is at capacity/, code: "overloaded" },
  { words: /^Connection failed:/, code: "connection_failed" },
  { words: /^stream disconnected before completion:/, code: "stream_disconnected" },
  // Before 0.169 behind the status.
  { words: /\bThe (?:requested )?model [`'][^`']*[`'] does not exist/i, code: modelNotFound }
]

const httpStatus = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/

/** The API's reason for an answer that it broke off, such as `max_output_tokens`. */
const incomplete = /^Incomplete response returned, reason: (\w+)/

/** A refusal with status 400 is passed on as the API's own JSON. */
const apiError = (message: string) => {
  const json = message.startsWith("{") ? parsed(message) : undefined
  if (!Predicate.hasProperty(json, "error")) return undefined
  const { error } = json
  return { error, detail: textIn(error, "message") ?? message, codes: [textIn(error, "code"), textIn(error, "type")] }
}

/** `try again at 9:12 AM`, or `at Nov 25th, 2026 9:12 AM`: a time of this host's zone. */
const tryAgainAt = /\btry again at (?:(\w{3} \d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}):(\d{2}) (AM|PM)\b/

const timeInText = (message: string): string | undefined => {
  const [, day, year, hour, minute, half] = tryAgainAt.exec(message) ?? []
  if (hour === undefined) return undefined
  const hours = (Number(hour) % 12) + (half === "PM" ? 12 : 0)
  const time = `${String(hours).padStart(2, "0")}:${minute}`
  return day === undefined ? time : isoTime(Date.parse(`${day}, ${year} ${time}`))
}

const longestSeconds = 366 * 24 * 60 * 60

/** The fields of an error that name the end of a limit, in both forms of Codex; anything else has none. */
export type Limit = unknown

export const retryTimes = (limit: Limit, message: string) => {
  const seconds = numberAt(limit, "resets_in_seconds") ?? numberAt(limit, "resetsInSeconds")
  const at = numberAt(limit, "resets_at") ?? numberAt(limit, "resetsAt")
  if (seconds !== undefined && seconds > 0 && seconds < longestSeconds) return { retryAfterMs: seconds * 1000 }
  return present({ retryAt: (at === undefined ? undefined : isoTime(at * 1000)) ?? timeInText(message) })
}

export const failureOf = (message: string, limit?: Limit): AgentFailed => {
  const api = apiError(message)
  if (api !== undefined) {
    const code = firstOf(api.codes) ?? "http_400"
    const category = classify({ codes: api.codes, status: 400 })
    return new AgentFailed({ code, category, detail: api.detail, ...retryTimes(api.error, api.detail) })
  }
  const status = httpStatus.exec(message)?.[1]
  const phrase = phrases.find(({ words }) => words.test(message))
  const code =
    status === undefined || phrase?.code === modelNotFound
      ? (phrase?.code ?? incomplete.exec(message)?.[1] ?? "turn_failed")
      : `http_${status}`
  const category = classify({
    codes: [phrase?.code, phrase?.like],
    status: status === undefined ? undefined : Number(status),
    message
  })
  return new AgentFailed({ code, category, detail: message, ...retryTimes(limit, message) })
}
