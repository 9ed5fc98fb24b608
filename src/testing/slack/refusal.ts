/** A call that Slack refuses: mostly status 200 with `ok: false` and one word. */

/** `limit`: of the method, such as a text that is too long; `pace`: too often; `forbidden`: before `Retry-After` was over. */
export type Broken = "limit" | "pace" | "forbidden"

export interface RefusalFacts {
  /** Default: 200. */
  readonly status?: number
  /** Seconds. */
  readonly retryAfter?: number
  /** More members of the answer. */
  readonly more?: Readonly<Record<string, unknown>>
  /** Undefined if the caller made no mistake. */
  readonly broken?: Broken
  /** All that exactly, for a test's eyes. */
  readonly detail?: string
}

export class Refusal extends Error {
  readonly error: string
  readonly status: number
  readonly retryAfter: number | undefined
  readonly more: Readonly<Record<string, unknown>>
  readonly broken: Broken | undefined
  constructor(error: string, { status = 200, retryAfter, more = {}, broken, detail }: RefusalFacts = {}) {
    super(detail === undefined ? error : `${error}: ${detail}`)
    this.error = error
    this.status = status
    this.retryAfter = retryAfter
    this.more = more
    this.broken = broken
  }
}

/** The caller broke a limit. */
export const beyond = (error: string, detail: string) =>
  new Refusal(error, { broken: "limit", detail, more: { response_metadata: { messages: [`[ERROR] ${detail}`] } } })

export const tooMany = (retryAfterMs: number, broken?: Broken) =>
  new Refusal("ratelimited", {
    status: 429,
    retryAfter: Math.max(1, Math.ceil(retryAfterMs / 1_000)),
    ...(broken && { broken })
  })
