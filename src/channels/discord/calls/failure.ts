/** Failures of calls and their meaning for delivery; pure. */
import { Predicate } from "effect"
import type { SendReason } from "../../../bridge/messages/SendError.ts"
import { withoutInvisible } from "../../../contract/text/harmless.ts"
import { type Answer, type CallFailure as NoAnswer, unknown } from "../../kit/call.ts"

export type CallFailure =
  | NoAnswer
  /** Discord answered that nothing was done. `code`: of Discord, 0 without one. */
  | { readonly _tag: "Refused"; readonly status: number; readonly code: number; readonly description: string }
  /** Nothing was done, and nothing in `scope` is for so long. */
  | { readonly _tag: "TooFast"; readonly retryAfterMs: number; readonly scope: "route" | "account" }

const numberAt = (input: unknown, name: string): number | undefined => {
  const value = Predicate.hasProperty(input, name) ? input[name] : undefined
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

const textAt = (input: unknown, name: string): string | undefined => {
  const value = Predicate.hasProperty(input, name) ? input[name] : undefined
  return typeof value === "string" ? value : undefined
}

/** The first sentence about a field; "Invalid Form Body" alone says nothing. Bounded, since the answer is a stranger's. */
const firstError = (errors: unknown, depth = 0): string | undefined => {
  if (typeof errors !== "object" || errors === null || depth > 8) return undefined
  const own = Predicate.hasProperty(errors, "_errors") ? errors._errors : undefined
  const found = Array.isArray(own) ? textAt(own[0], "message") : undefined
  if (found !== undefined) return found
  for (const value of Object.values(errors).slice(0, 20)) {
    const inner = firstError(value, depth + 1)
    if (inner !== undefined) return inner
  }
  return undefined
}

const most = 300

/** For people and logs. */
const descriptionOf = (json: unknown, token: string): string => {
  const field = Predicate.hasProperty(json, "errors") ? firstError(json.errors) : undefined
  const words = [textAt(json, "message") ?? "", ...(field === undefined ? [] : [field])].join(": ")
  return withoutInvisible(words.replaceAll(token, "<token>")).slice(0, most)
}

/** Applies where Discord names no time. */
const usualRetryMs = 5_000
/** Cloudflare refuses an address that had too many bad answers; its page names no time. */
const bannedMs = 600_000
const longestMs = 3_600_000

const afterMs = (seconds: number | undefined) =>
  seconds === undefined || seconds < 0 ? usualRetryMs : Math.min(longestMs, Math.ceil(seconds * 1_000))

const secondsOf = (header: string | null) =>
  header === null || !/^\d+(?:\.\d+)?$/.test(header) ? undefined : Number(header)

/** Undefined if the call was done. */
export const failureOf = ({ status, headers, json }: Answer, token: string): CallFailure | undefined => {
  if (status >= 200 && status < 300) return status !== 204 && json === undefined ? unknown : undefined
  if (status >= 500 || status < 400) return unknown
  if (status === 429) {
    const named = numberAt(json, "retry_after")
    const isAccount = named === undefined || (Predicate.hasProperty(json, "global") && json.global === true)
    const retryAfterMs = afterMs(named ?? secondsOf(headers.get("retry-after")))
    return { _tag: "TooFast", retryAfterMs, scope: isAccount ? "account" : "route" }
  }
  if (status === 403 && json === undefined) return { _tag: "TooFast", retryAfterMs: bannedMs, scope: "account" }
  return { _tag: "Refused", status, code: numberAt(json, "code") ?? 0, description: descriptionOf(json, token) }
}

/** True if the token is invalid or was reset. */
export const isTokenRefused = (failure: CallFailure): boolean => failure._tag === "Refused" && failure.status === 401

/** Codes of Discord's answers: topics/opcodes-and-status-codes#json. */
export const codes = {
  unknownChannel: 10_003,
  unknownGuild: 10_004,
  unknownMessage: 10_008,
  unknownUser: 10_013,
  unknownInteraction: 10_062,
  oldEdits: 30_046,
  answered: 40_060,
  missingAccess: 50_001,
  noDirect: 50_007,
  missingPermissions: 50_013,
  wrongChannel: 50_024,
  archived: 50_083,
  noSharedServer: 50_278,
  threadExists: 160_004
} as const

export const hasCode = (failure: CallFailure, ...some: ReadonlyArray<number>): boolean =>
  failure._tag === "Refused" && some.includes(failure.code)

const gone = (what: "chat" | "thread" | "message" | "user"): SendReason => ({ _tag: "Gone", what })

const table: ReadonlyMap<number, SendReason> = new Map([
  [codes.unknownChannel, gone("chat")],
  [codes.unknownGuild, gone("chat")],
  [codes.missingAccess, gone("chat")],
  [codes.missingPermissions, gone("chat")],
  [codes.unknownMessage, gone("message")],
  [codes.unknownUser, gone("user")],
  [codes.noDirect, { _tag: "Closed" }],
  [codes.noSharedServer, { _tag: "Closed" }]
])

const oldEditsMs = 60_000

/** `scope`: what the route of the call is held for. */
export const reasonOf = (failure: CallFailure, scope: "chat" | "edits" = "chat"): SendReason => {
  if (failure._tag === "TooFast") return { ...failure, scope: failure.scope === "account" ? "account" : scope }
  if (failure._tag !== "Refused") return failure
  // The channel ends; what it could not send is sent with the next token.
  if (isTokenRefused(failure)) return { _tag: "Unreachable" }
  if (failure.code === codes.oldEdits) return { _tag: "TooFast", retryAfterMs: oldEditsMs, scope: "edits" }
  const found = table.get(failure.code)
  return found ?? { _tag: "Refused", description: failure.description || `status ${failure.status}` }
}
