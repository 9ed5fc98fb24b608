/**
 * The `errorMessage` of a model's message → the reason (0.73.1): the words of a provider's client, such as
 * `429 {"type":"error","error":{"type":"rate_limit_error",…}}`, `terminated`, or a sentence.
 */
import { Option, Predicate, Schema } from "effect"
import { AgentFailed } from "../../../contract/AgentError.ts"
import { classify } from "../../../contract/errors/classify.ts"
import { anything, text } from "../../wireDecoder.ts"

const Body = Schema.Struct({
  error: Schema.Struct({ type: anything, code: anything, status: anything, message: text })
})
const decodeBody = Schema.decodeUnknownOption(Schema.fromJsonString(Body))

const statusAndBody = /^(?:(\d{3})\s+)?([\s\S]*)$/

export const failureOf = (errorMessage: string | null | undefined): AgentFailed => {
  const message = errorMessage ?? ""
  const [, digits, rest = ""] = statusAndBody.exec(message) ?? []
  const error = Option.getOrUndefined(decodeBody(rest))?.error
  const words = [error?.code, error?.status, error?.type].filter((word) => Predicate.isString(word))
  const status = digits === undefined ? undefined : Number(digits)
  const detail = error?.message || message || "The model failed without a reason"
  return new AgentFailed({
    code: words[0] ?? (status === undefined ? "unknown" : `http_${status}`),
    category: classify({
      codes: /\bprompt is too long\b/i.test(detail) ? ["prompt_too_long"] : words,
      status,
      message: detail
    }),
    detail
  })
}
