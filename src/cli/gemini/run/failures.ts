/** A failure of Gemini CLI (0.61.0) → the reason. A text, `[API Error: …]`, often has the API's JSON, even nested. */
import { Option, Schema } from "effect"
import { AgentFailed } from "../../../contract/AgentError.ts"
import type { ProcessExit } from "../../../contract/AgentRunResult.ts"
import { classify } from "../../../contract/errors/classify.ts"
import { present } from "../../jsonFields.ts"
import { textIn } from "../../toolInputs.ts"
import { anything, optional, text } from "../../wireDecoder.ts"
import type { Problem } from "../wire.ts"

interface Facts {
  readonly message: string
  readonly status?: number
  /** The API's words for it, the most specific first. */
  readonly words: ReadonlyArray<string>
  readonly retryAfterMs?: number
}

/** The CLI's additions for people follow the bracket on separate lines. */
const bracketed = /^\[API Error: ([\s\S]*)\](?:\n[^\]]*)?$/

const deepest = 3

const ApiError = Schema.Struct({
  error: Schema.Struct({ code: anything, status: text, message: text, details: optional(Schema.Array(Schema.Unknown)) })
})
const decodeApiError = Schema.decodeUnknownOption(Schema.fromJsonString(ApiError))

const stringsOf = (details: ReadonlyArray<unknown> | null | undefined, name: string) =>
  (details ?? []).flatMap((detail) => textIn(detail, name) ?? [])

/** If no API answered, the word is a phrase of HTTP. */
const isWord = /^[A-Z][A-Z_]+$/
const seconds = /^(\d+(?:\.\d+)?)s$/

const factsOf = (json: string, depth = 0): Facts => {
  const parsed = depth < deepest ? decodeApiError(json) : Option.none()
  if (Option.isNone(parsed)) return { message: json, words: [] }
  const { code, status, message, details } = parsed.value.error
  const inner = factsOf(message ?? "", depth + 1)
  const delay = seconds.exec(stringsOf(details, "retryDelay")[0] ?? "")?.[1]
  const delayMs = Number(delay) * 1000
  const retryAfterMs = inner.retryAfterMs ?? (Number.isFinite(delayMs) ? delayMs : undefined)
  const number = inner.status ?? (typeof code === "number" ? code : undefined)
  const words = [...stringsOf(details, "reason"), status ?? ""].filter((word) => isWord.test(word))
  return { message: inner.message, words: [...inner.words, ...words], ...present({ status: number, retryAfterMs }) }
}

/** The API's word for a conversation over the context window is only INVALID_ARGUMENT. */
const overflow = /\binput token count\b.*\bexceeds the maximum number of tokens\b/i
const tooLong = "context_length_exceeded"

/** The CLI's word for an unknown failure. */
const noWord = "unknown"

/** Category of an API failure without its JSON: for 404, 429, 500 and 503 the CLI prints only the message. */
export const bareApiError = "api_error"

/** The CLI exits with the HTTP status, of which the system keeps the lowest eight bits. */
const statusOfExit = (code: number) =>
  [400, 401, 403, 408, 413, 429, 499, 500, 502, 503, 504, 529].find((status) => status % 256 === code)

/** The only text of versions before 0.57 for any failure of the API, and of newer ones for some. */
const noCause = /^an unknown error occurred\.?$/i

const detailOf = ({ message, status }: Facts) =>
  status === undefined && noCause.test(message.trim())
    ? "An unknown error occurred: Gemini CLI gives no cause, and never does before 0.57.0: see `reins doctor`"
    : message

const reasonOf = (facts: Facts, own: ReadonlyArray<string>, otherwise: string): AgentFailed => {
  const words = [...facts.words, ...own]
  return new AgentFailed({
    code: words[0] ?? otherwise,
    category: classify({ codes: overflow.test(facts.message) ? [tooLong] : words, ...facts }),
    detail: detailOf(facts),
    ...present({ retryAfterMs: facts.retryAfterMs })
  })
}

const withStatus = (facts: Facts, status: number | undefined): Facts =>
  status === undefined ? facts : { ...facts, status }

const codeOf = ({ status }: Facts) => (status === undefined ? bareApiError : `http_${status}`)

export const failureOf = ({ type, message }: Problem, exit?: ProcessExit): AgentFailed => {
  const api = bracketed.exec(message ?? "")?.[1]
  const stated = factsOf(api ?? message ?? "")
  const status =
    stated.status ?? (api !== undefined && exit !== undefined && "code" in exit ? statusOfExit(exit.code) : undefined)
  const facts = withStatus(stated, status)
  const own = type == null || type === noWord ? [] : [type]
  return reasonOf(facts, own, api === undefined ? noWord : codeOf(facts))
}

/** The code is the API's status, or 500 for an unknown one, as for 404; a real 500 comes with the API's JSON. */
export const failureOfStatus = (code: number, message: string): AgentFailed => {
  const stated = factsOf(message)
  const facts = withStatus(stated, stated.status ?? (code === 500 ? undefined : code))
  return reasonOf(facts, [], codeOf(facts))
}
