/** A call that Discord answers with an error: status, code and words, and whether a limit was broken by the caller. */
import type { ErrorBody } from "./wire.ts"

/** `limit`: of a field, such as a text that is too long; `pace`: too often; `forbidden`: before `retry_after` was over. */
export type Broken = "limit" | "pace" | "forbidden"

export interface RefusalFacts {
  readonly broken?: Broken
  readonly errors?: unknown
}

export class Refusal extends Error {
  readonly status: number
  readonly code: number
  readonly facts: RefusalFacts
  constructor(status: number, code: number, message: string, facts: RefusalFacts = {}) {
    super(message)
    this.status = status
    this.code = code
    this.facts = facts
  }
  get body(): ErrorBody {
    const { errors } = this.facts
    return { message: this.message, code: this.code, ...(errors === undefined ? {} : { errors }) }
  }
}

/** A 429 of Discord itself. */
export class TooMany extends Refusal {
  readonly retryAfterMs: number
  readonly isGlobal: boolean
  constructor(retryAfterMs: number, isGlobal: boolean, broken?: Broken) {
    super(429, 0, "You are being rate limited.", broken === undefined ? {} : { broken })
    this.retryAfterMs = retryAfterMs
    this.isGlobal = isGlobal
  }
}

export const unauthorized = () => new Refusal(401, 0, "401: Unauthorized")
export const noRoute = () => new Refusal(404, 0, "404: Not Found")
export const unknownChannel = () => new Refusal(404, 10_003, "Unknown Channel")
export const unknownMessage = () => new Refusal(404, 10_008, "Unknown Message")
export const invalidForm = (field: string, code: string, message: string, broken?: Broken) =>
  new Refusal(400, 50_035, "Invalid Form Body", {
    errors: { [field]: { _errors: [{ code, message }] } },
    ...(broken === undefined ? {} : { broken })
  })
export const tooLong = (field: string, most: number) =>
  invalidForm(field, "BASE_TYPE_MAX_LENGTH", `Must be ${most} or fewer in length.`, "limit")
