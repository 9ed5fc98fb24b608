/** A call that the Graph API answers with an error: its status, code and details, and whether the caller broke a limit. */

/** `limit`: of a message, such as a text that is too long; `pace`: too often. */
export type Broken = "limit" | "pace"

export interface RefusalFacts {
  readonly status?: number
  readonly broken?: Broken
  /** In seconds. */
  readonly retryAfter?: number
}

export class Refusal extends Error {
  readonly status: number
  readonly code: number
  readonly broken: Broken | undefined
  readonly retryAfter: number | undefined
  constructor(code: number, details: string, { status = 400, broken, retryAfter }: RefusalFacts = {}) {
    super(details)
    this.code = code
    this.status = status
    this.broken = broken
    this.retryAfter = retryAfter
  }
}

const titles: Readonly<Record<number, string>> = {
  100: "Invalid parameter",
  190: "Access token could not be decrypted",
  130429: "Rate limit hit",
  131009: "Parameter value is not valid",
  131026: "Message undeliverable",
  131030: "Recipient phone number not in allowed list",
  131047: "Re-engagement message",
  131053: "Media upload error",
  131056: "(Business Account, Consumer Account) pair rate limit hit"
}

export const titleOf = (code: number): string => titles[code] ?? "Something went wrong"

export const answerOf = ({ code, message }: Refusal) => ({
  error: {
    message: `(#${code}) ${titleOf(code)}`,
    type: "OAuthException",
    code,
    error_data: { messaging_product: "whatsapp", details: message },
    fbtrace_id: "Az8or2yhqkZfEZ-_4Qn_Bam"
  }
})

export const invalid = (details: string) => new Refusal(100, details)
/** The caller broke a limit. */
export const beyond = (details: string, code = 100) => new Refusal(code, details, { broken: "limit" })
export const unauthorized = () =>
  new Refusal(190, "Invalid OAuth access token - Cannot parse access token", { status: 401 })
export const unknownPath = () =>
  new Refusal(100, "Unsupported request. The object does not exist, or lacks permissions")
