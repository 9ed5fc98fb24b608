/** Why a call has failed, from what grammY throws; pure. Nothing else of what was thrown is kept: it holds the token. */
import { Predicate } from "effect"
import { withoutInvisible } from "../../../contract/text/harmless.ts"

export type CallFailure =
  /** Telegram has answered: it was not done. */
  | {
      readonly _tag: "Refused"
      readonly code: number
      readonly description: string
      readonly retryAfterMs?: number
      /** The group is a supergroup now, with this id. */
      readonly movedTo?: string
    }
  /** No byte was sent. */
  | { readonly _tag: "Unreachable" }
  | { readonly _tag: "Unknown" }

export const unknown: CallFailure = { _tag: "Unknown" }

/** Failures of names, of connecting, and of certificates, before a request is written. */
const beforeTheRequest: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_NODATA",
  "EAI_NONAME",
  "EAI_FAIL",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID"
])

/** node-fetch 2 keeps the system call of a failure in its message alone: of other calls the request may be there. */
const whileConnecting = /, reason: connect E[A-Z]+\b/

const isBefore = (cause: unknown): boolean => {
  if (!Predicate.isObject(cause)) return false
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown } // any value has fields
  return (
    (typeof code === "string" && beforeTheRequest.has(code)) ||
    (typeof message === "string" && whileConnecting.test(message))
  )
}

const numberAt = (input: unknown, name: string): number | undefined => {
  const value = Predicate.hasProperty(input, name) ? input[name] : undefined
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

/** For people and logs. */
const described = (description: unknown, token: string): string =>
  withoutInvisible(String(description).replaceAll(token, "<token>")).slice(0, 300)

export const failureOf = (thrown: unknown, token: string): CallFailure => {
  const code = numberAt(thrown, "error_code")
  if (code === undefined) {
    // The cause of an `HttpError`.
    const cause = Predicate.hasProperty(thrown, "error") ? thrown.error : thrown
    return isBefore(cause) ? { _tag: "Unreachable" } : unknown
  }
  if (code >= 500) return unknown
  const parameters = Predicate.hasProperty(thrown, "parameters") ? thrown.parameters : undefined
  const [retryAfter, movedTo] = [numberAt(parameters, "retry_after"), numberAt(parameters, "migrate_to_chat_id")]
  return {
    _tag: "Refused",
    code,
    description: described(Predicate.hasProperty(thrown, "description") ? thrown.description : "", token),
    ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1_000 }),
    ...(movedTo === undefined ? {} : { movedTo: String(movedTo) })
  }
}

/** True if the token is invalid or was revoked. */
export const isTokenRefused = (failure: CallFailure): boolean =>
  failure._tag === "Refused" && (failure.code === 401 || (failure.code === 404 && failure.description === "Not Found"))
