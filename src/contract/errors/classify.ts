/** The category of an error, for all CLIs: by its codes, then its HTTP status, then words of its message. */
import type { ErrorCategory } from "../ErrorCategory.ts"

const byCode: Readonly<Record<string, ErrorCategory>> = {
  prompt_too_long: "context_overflow",
  context_length_exceeded: "context_overflow",
  ContextOverflowError: "context_overflow",
  usage_limit_reached: "rate_limit",
  connection_failed: "network",
  stream_disconnected: "network",
  authentication_failed: "auth",
  authentication_error: "auth",
  API_KEY_INVALID: "auth",
  UNAUTHENTICATED: "auth",
  oauth_org_not_allowed: "auth",
  verification_required: "auth",
  cloud_credential_error: "auth",
  ProviderAuthError: "auth",
  account_on_hold: "billing",
  billing_error: "billing",
  insufficient_quota: "billing",
  usage_not_included: "billing",
  rate_limit: "rate_limit",
  rate_limit_error: "rate_limit",
  RESOURCE_EXHAUSTED: "rate_limit",
  overloaded: "overloaded",
  overloaded_error: "overloaded",
  UNAVAILABLE: "overloaded",
  INTERNAL: "overloaded",
  DEADLINE_EXCEEDED: "overloaded",
  server_error: "overloaded",
  invalid_request: "invalid_request",
  invalid_request_error: "invalid_request",
  model_not_found: "invalid_request",
  not_found_error: "invalid_request",
  permission_error: "permission",
  PERMISSION_DENIED: "permission",
  FatalInputError: "invalid_request",
  FatalTurnLimitedError: "other",
  aborted_streaming: "aborted",
  aborted_tools: "aborted",
  MessageAbortedError: "aborted"
}

const byStatus = (status: number): ErrorCategory | undefined => {
  if (status === 401) return "auth"
  if (status === 402) return "billing"
  if (status === 403) return "permission"
  if (status === 408) return "network"
  if (status === 429) return "rate_limit"
  if (status >= 500) return "overloaded"
  if (status >= 400) return "invalid_request"
  return undefined
}

/**
 * A status in a sentence: other numbers count files or lines, or are places. Behind its own word, in front or in brackets
 * without a word behind it, or the last word.
 */
const statusPattern = (codes: string) =>
  [
    `\\b(?:status|code|http(?:/[\\d.]+)?)\\W{1,3}(?:${codes})\\b`,
    `(?:^\\W*|[([]|\\berror\\W{1,3})(?:${codes})\\b(?!\\s+[a-z])`,
    `(?<!\\b(?:line|column|port|page|at|in|of|to|than)\\W{1,2})\\b(?:${codes})\\W*$`
  ].join("|")

const wordsOr = (words: string, codes: string) => new RegExp(`\\b(?:${words})\\b|${statusPattern(codes)}`, "im")

const byMessage: ReadonlyArray<readonly [RegExp, ErrorCategory]> = [
  [/\b(invalid session identifier|no previous sessions found)\b/i, "session_not_found"],
  [
    /\b(invalid auth method|set an auth method|must specify the GEMINI_API_KEY|manual authorization is required)\b/i,
    "auth"
  ],
  [/\b(not running in a trusted directory|yolo mode is disabled)\b/i, "permission"],
  [/^terminated$|\bother side closed\b/i, "network"],
  [/\b(no input provided|fix the configuration|missing system prompt file|command for sandbox)\b/i, "invalid_request"],
  [/\b(invalid values|mutually exclusive|unknown arguments?)\b/i, "invalid_request"],
  [
    /\b(no conversation found|session not found|unknown session|no session found matching|requires a valid session id|no rollout found)\b/i,
    "session_not_found"
  ],
  [
    wordsOr("not logged in|please run /login|no api key found|no models available|invalid api key|unauthorized", "401"),
    "auth"
  ],
  [wordsOr("credit balance|billing|payment required", "402"), "billing"],
  [wordsOr("rate limit|usage limit|hit your [\\w-]+ limit|too many requests", "429"), "rate_limit"],
  [/\b(prompt is too long|context (length|window)|too many tokens)\b/i, "context_overflow"],
  [
    wordsOr(
      "overloaded|service unavailable|bad gateway|gateway time-?out|internal server error",
      "500|502|503|504|529"
    ),
    "overloaded"
  ],
  [
    /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|connection (?:error|refused)|fetch failed|cannot connect to api|unable to connect|timed out)\b/i,
    "network"
  ],
  [/\b(root\/sudo privileges|permission denied|EACCES)\b/i, "permission"],
  [/\bfailed to record rollout items\b/i, "crash"],
  [
    /\b(unknown option|unexpected argument|invalid value|already in use|already has an active writer|settings file not found|is not found|already exists|not valid JSON)\b/i,
    "invalid_request"
  ],
  [
    /\b(required MCP servers failed to initialize|you must provide a message|Error loading config\.toml|exceeds the maximum length|configuration is invalid)\b/i,
    "invalid_request"
  ]
]

export interface ErrorFacts {
  readonly codes?: ReadonlyArray<string | null | undefined>
  readonly status?: number | null | undefined
  readonly message?: string
  /** Category where nothing matches. Default: `other`. */
  readonly otherwise?: ErrorCategory
}

/** A code for any refusal: a specific status takes precedence. */
const isVague = (code: string) => code === "invalid_request_error"

export const classify = ({ codes = [], status, message = "", otherwise = "other" }: ErrorFacts): ErrorCategory => {
  const known = codes.filter((code) => typeof code === "string").filter((code) => Object.hasOwn(byCode, code))
  const specific = known.find((code) => !isVague(code)) ?? ""
  const vague = known.length > 0 ? "invalid_request" : undefined
  const category = byCode[specific] ?? (typeof status === "number" ? byStatus(status) : undefined) ?? vague
  return category ?? byMessage.find(([words]) => words.test(message))?.[1] ?? otherwise
}
