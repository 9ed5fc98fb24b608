/**
 * Calls of the Web API: one attempt each. Arguments go as a form, which every method takes: JSON is for those that write
 * alone.
 */
import { Effect } from "effect"
import { type Answer, type Call, call } from "../../kit/call.ts"
import type { CheckedSlack } from "../SlackOptions.ts"
import { addScope, type CallFailure, failureOf, failureOfStatus, isMissingScope, isTokenRefused } from "./failure.ts"

export type TokenKind = "bot" | "app"

export interface CallOptions {
  /** Default: the bot's. */
  readonly token?: TokenKind
  /** In ms. Default: 20 s. */
  readonly deadlineMs?: number
}

export interface Client {
  /** Returns the answer's JSON unchecked. Arguments that are undefined are left out. */
  readonly call: (method: string, params: Params, options?: CallOptions) => Effect.Effect<unknown, CallFailure>
  /** The same with headers. */
  readonly ask: (method: string, params: Params, options?: CallOptions) => Effect.Effect<Answer, CallFailure>
  /** Posts to an address that Slack gave, without a token. Nothing of the answer is read but its status. */
  readonly post: (
    url: string,
    body: object | FormData,
    options?: Pick<CallOptions, "deadlineMs">
  ) => Effect.Effect<void, CallFailure>
}

export type Params = Readonly<Record<string, unknown>>

const formOf = (params: Params): string => {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) form.set(name, typeof value === "object" ? JSON.stringify(value) : String(value))
  return form.toString()
}

/** `onRefused` runs when Slack refuses a token. */
export const makeClient = (
  { botToken, appToken, apiRoot }: Pick<CheckedSlack, "botToken" | "appToken" | "apiRoot">,
  onRefused: (token: TokenKind) => Effect.Effect<void>
): Client => {
  const known = new Set<string>()
  /** Told once: each message of a file would say it again. */
  const tellScope = (failure: CallFailure) => {
    if (failure._tag !== "Refused" || !isMissingScope(failure)) return Effect.void
    const { needed = "a scope" } = failure
    if (known.has(needed) || known.size > 20) return Effect.void
    known.add(needed)
    return Effect.logWarning(`Slack refuses a call, since the app lacks ${needed}. ${addScope(needed)}`)
  }

  const ask: Client["ask"] = (method, params, { token = "bot", deadlineMs } = {}) => {
    const request: Call = {
      url: `${apiRoot}/${method}`,
      method: "POST",
      headers: {
        authorization: `Bearer ${token === "app" ? appToken : botToken}`,
        "content-type": "application/x-www-form-urlencoded"
      },
      body: formOf(params),
      ...(deadlineMs === undefined ? {} : { deadlineMs })
    }
    return call(request).pipe(
      Effect.flatMap((answer): Effect.Effect<Answer, CallFailure> => {
        const failure = failureOf(answer)
        return failure === undefined ? Effect.succeed(answer) : Effect.fail(failure)
      }),
      Effect.tapError((failure) => (isTokenRefused(failure) ? onRefused(token) : tellScope(failure)))
    )
  }

  return {
    ask,
    call: (method, params, options) => Effect.map(ask(method, params, options), ({ json }) => json),
    post: (url, body, { deadlineMs } = {}) => {
      const content =
        body instanceof FormData
          ? { body }
          : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
      const deadline = deadlineMs === undefined ? {} : { deadlineMs }
      return Effect.flatMap(call({ url, method: "POST", ...content, ...deadline }), ({ status }) => {
        const failure = failureOfStatus(status)
        return failure === undefined ? Effect.void : Effect.fail(failure)
      })
    }
  }
}
