/** A call that Telegram answers with an error: its code, its words, and whether a limit was broken by the caller. */
import type { Answer, Parameters } from "./wire.ts"

/** `limit`: of the method, such as a text that is too long; `pace`: too often; `forbidden`: before `retry_after` was over. */
export type Broken = "limit" | "pace" | "forbidden"

export interface RefusalFacts {
  readonly parameters?: Parameters
  /** Undefined if the caller made no mistake. */
  readonly broken?: Broken
}

export class Refusal extends Error {
  readonly code: number
  readonly parameters: Parameters | undefined
  readonly broken: Broken | undefined
  constructor(code: number, description: string, { parameters, broken }: RefusalFacts = {}) {
    super(description)
    this.code = code
    this.parameters = parameters
    this.broken = broken
  }
}

export const answerOf = ({ code, message, parameters }: Refusal): Answer => ({
  ok: false,
  error_code: code,
  description: message,
  ...(parameters === undefined ? {} : { parameters })
})

export const badRequest = (what: string, parameters?: Parameters) =>
  new Refusal(400, `Bad Request: ${what}`, parameters === undefined ? {} : { parameters })

/** The caller broke a limit of the Bot API. */
export const beyond = (what: string) => new Refusal(400, `Bad Request: ${what}`, { broken: "limit" })
export const forbidden = (what: string) => new Refusal(403, `Forbidden: ${what}`)
export const conflict = (what: string) => new Refusal(409, `Conflict: ${what}`)
export const unauthorized = () => new Refusal(401, "Unauthorized")
export const notFound = () => new Refusal(404, "Not Found")

export const otherPoller = () =>
  conflict("terminated by other getUpdates request; make sure that only one bot instance is running")

/** Telegram reports whole seconds. */
export const tooMany = (retryAfterMs: number, broken?: Broken) => {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000))
  const parameters = { retry_after: seconds }
  return new Refusal(429, `Too Many Requests: retry after ${seconds}`, { parameters, ...(broken && { broken }) })
}
