/** Calls of Slack's Web API: one attempt each, ended by interruption or their deadline. Tokens go to Slack's host alone. */
import { Effect } from "effect"
import { type Answer, call as callOnce } from "../../kit/call.ts"
import type { CheckedSlack } from "../SlackOptions.ts"
import { type CallFailure, failureOf, isTokenRefused } from "./failure.ts"

/** Lists and objects are written as JSON. */
type Params = Readonly<Record<string, unknown>>

export interface Client {
  /** Returns the answer unchecked. */
  readonly call: (method: string, params?: Params) => Effect.Effect<Answer, CallFailure>
  /** By the app-level token. */
  readonly callAsApp: (method: string) => Effect.Effect<Answer, CallFailure>
  /** Whether an address that Slack names is of Slack itself, and as safe as the Web API's. */
  readonly isTrusted: (address: string) => boolean
}

export interface ClientOptions extends Pick<CheckedSlack, "botToken" | "appToken" | "apiRoot"> {
  /** Runs when Slack refuses a token. */
  readonly onRefused: (token: "bot" | "app") => Effect.Effect<void>
}

const output = (params: Params): string => {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) form.set(name, typeof value === "object" ? JSON.stringify(value) : String(value))
  return form.toString()
}

export const makeClient = ({ botToken, appToken, apiRoot, onRefused }: ClientOptions): Client => {
  const root = new URL(apiRoot)

  const run = (of: "bot" | "app", method: string, params: Params) =>
    callOnce({
      url: `${apiRoot}/${method}`,
      method: "POST",
      headers: {
        authorization: `Bearer ${of === "bot" ? botToken : appToken}`,
        "content-type": "application/x-www-form-urlencoded; charset=utf-8"
      },
      body: output(params)
    }).pipe(
      Effect.flatMap((answer) => {
        const failure = failureOf(answer)
        return failure === undefined ? Effect.succeed(answer) : Effect.fail(failure)
      }),
      Effect.tapError((failure) => (isTokenRefused(failure) ? onRefused(of) : Effect.void))
    )

  return {
    call: (method, params = {}) => run("bot", method, params),
    callAsApp: (method) => run("app", method, {}),
    isTrusted: (address) => {
      const url = URL.parse(address)
      if (url === null) return false
      const isSafe = root.protocol === "http:" || url.protocol === "https:" || url.protocol === "wss:"
      return isSafe && (url.host === root.host || url.hostname.endsWith(`.${root.hostname}`))
    }
  }
}
