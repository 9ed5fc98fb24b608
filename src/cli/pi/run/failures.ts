/**
 * The `errorMessage` of a model's message → the reason (1.6.0): the words of a provider's client, such as
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

/** Words of providers for which their status, mostly 400, and their type are too vague. */
const byWords: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /\b(?:prompt (?:is )?too long|context (?:length|window|size)|maximum prompt length|input is too long|input token count|reduce the length of the messages|model token limit|request_too_large)\b/i,
    "prompt_too_long"
  ],
  [/\b(?:credit balance|exceeded your current quota|insufficient (?:balance|credits?|funds|quota))\b/i, "billing_error"]
]

const statusAndBody = /^(?:(\d{3})(?:\s+|$))?([\s\S]*)$/

export const failureOf = (errorMessage: string | null | undefined): AgentFailed => {
  const message = errorMessage ?? ""
  const [, digits, rest = ""] = statusAndBody.exec(message) ?? []
  const error = Option.getOrUndefined(decodeBody(rest))?.error
  const words = [error?.code, error?.status, error?.type].filter((word) => Predicate.isString(word))
  const code = Predicate.isNumber(error?.code) ? error.code : undefined
  const status = digits === undefined ? code : Number(digits)
  const detail = error?.message || message || "The model failed without a reason"
  const certain = byWords.find(([pattern]) => pattern.test(`${words.join(" ")} ${detail}`))?.[1]
  return new AgentFailed({
    code: words[0] ?? (status === undefined ? "unknown" : `http_${status}`),
    category: classify({ codes: certain === undefined ? words : [certain], status, message: detail }),
    detail
  })
}
