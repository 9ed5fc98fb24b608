/**
 * Calls of the Graph API: one attempt each, on a connection of its own, since nothing tells afterwards what became of a send
 * whose connection was closed while it was idle.
 */
import { Effect } from "effect"
import { type Call, call } from "../../kit/call.ts"
import type { CheckedWhatsApp } from "../WhatsAppOptions.ts"
import { type CallFailure, failureOf, isTokenRefused } from "./failure.ts"

/** In ms. */
const [uploadMs, hintMs] = [300_000, 10_000]

export interface Client {
  /** `path` below the address of the API. Returns the answer unchecked. */
  readonly get: (path: string) => Effect.Effect<unknown, CallFailure>
  readonly post: (path: string, body: object) => Effect.Effect<unknown, CallFailure>
  /** Nothing depends on it. */
  readonly hint: (path: string, body: object) => Effect.Effect<void>
  readonly upload: (path: string, form: FormData) => Effect.Effect<unknown, CallFailure>
}

/** `onRefused` runs when WhatsApp refuses the token. */
export const makeClient = (
  { token, appSecret, verifyToken, apiRoot }: CheckedWhatsApp,
  onRefused: Effect.Effect<void>
): Client => {
  const authorization = `Bearer ${token}`
  const hide = (text: string) =>
    [token, appSecret, verifyToken].reduce((all, secret) => all.replaceAll(secret, "<secret>"), text)
  const run = (path: string, { headers = {}, ...request }: Omit<Call, "url">) =>
    call({ ...request, url: `${apiRoot}/${path}`, headers: { ...headers, authorization }, fresh: true }).pipe(
      Effect.flatMap((answer) => {
        const failure = failureOf(answer, hide)
        return failure === undefined ? Effect.succeed(answer.json) : Effect.fail(failure)
      }),
      Effect.tapError((failure) => (isTokenRefused(failure) ? onRefused : Effect.void))
    )
  const json = (body: object) => ({
    method: "POST" as const,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  return {
    get: (path) => run(path, {}),
    post: (path, body) => run(path, json(body)),
    hint: (path, body) => Effect.ignore(run(path, { ...json(body), deadlineMs: hintMs })),
    upload: (path, form) => run(path, { method: "POST", body: form, deadlineMs: uploadMs })
  }
}
