/**
 * Calls of the Bot API by grammY's `Api`: one attempt each, ended by interruption or their deadline. Sends and polls use
 * separate connections; idle ones are closed, since a request on them can be lost.
 */
import { Agent as HttpAgent } from "node:http"
import { Agent as HttpsAgent } from "node:https"
import { Effect, Predicate, type Scope } from "effect"
import type { Api } from "grammy"
import type { ApiMethods, Opts } from "grammy/types"
import { ChannelError } from "../../../bridge/messages/SendError.ts"
import { untraced } from "../../../contract/untraced.ts"
import { type CheckedTelegram, channelId } from "../TelegramOptions.ts"
import { type CallFailure, failureOf, isTokenRefused, unknown } from "./failure.ts"

const isMissing = (thrown: unknown) => Predicate.hasProperty(thrown, "code") && thrown.code === "ERR_MODULE_NOT_FOUND"

/** grammY, which only this channel needs: loaded when one is made. */
const loadGrammy = (accountId: string): Effect.Effect<typeof import("grammy"), ChannelError> =>
  Effect.tryPromise({
    try: () => import("grammy"),
    catch: (thrown) =>
      new ChannelError({
        channel: channelId,
        accountId,
        problem: isMissing(thrown)
          ? "the package grammy, which Telegram needs, is not installed"
          : "the package grammy, which Telegram needs, cannot be loaded",
        help: "Run `npm install grammy` where this package is installed (with --global, where it is installed globally)."
      })
  })

/** In ms. */
export const deadlines = {
  call: 30_000,
  upload: 600_000,
  acknowledgement: 10_000,
  draft: 10_000,
  poll: 65_000
} as const

export interface Client {
  /** Returns the answer unchecked. */
  readonly call: <M extends keyof ApiMethods>(
    method: M,
    params: Opts<M>,
    deadlineMs?: number
  ) => Effect.Effect<unknown, CallFailure>
  /** Later calls use new connections. */
  readonly renew: () => void
}

export interface Clients {
  readonly calls: Client
  readonly polls: Client
  /** A file of this machine, as a parameter. */
  readonly file: (path: string, name: string) => Opts<"sendDocument">["document"]
}

const idleMs = 15_000

/** grammY writes a name into a header unchanged: quotes keep it whole. */
const quoted = (name: string) => `"${name.replace(/["\\\p{Cc}]/gu, "_").toWellFormed()}"`

/** grammY passes these only the signal. */
const withoutParameters: ReadonlySet<string> = new Set(["getMe", "getWebhookInfo"])

/** `onRefused` runs when Telegram refuses the token. */
export const makeClients = Effect.fn(...untraced("Client.makeClients"))(function* (
  { token, accountId, apiRoot }: Pick<CheckedTelegram, "token" | "accountId" | "apiRoot">,
  onRefused: Effect.Effect<void>
): Effect.fn.Return<Clients, ChannelError, Scope.Scope> {
  const grammy = yield* loadGrammy(accountId)
  const agents = new Set<HttpAgent>()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const agent of agents) agent.destroy()
    })
  )

  const open = () => {
    const agent = new (apiRoot.startsWith("https:") ? HttpsAgent : HttpAgent)({ keepAlive: true, timeout: idleMs })
    agents.add(agent)
    return { agent, api: new grammy.Api(token, { apiRoot, baseFetchConfig: { agent, compress: true } }) }
  }

  const run = (api: Api, method: keyof ApiMethods, params: unknown, signal: AbortSignal): Promise<unknown> => {
    // All methods have this form; the type of `call` checks their parameters.
    const raw = api.raw as unknown as Record<string, (...args: ReadonlyArray<unknown>) => Promise<unknown>>
    const called = raw[method]
    if (called === undefined) throw new Error(`unknown method: ${method}`)
    return withoutParameters.has(method) ? called(signal) : called(params, signal)
  }

  const makeClient = (): Client => {
    let now: ReturnType<typeof open> | undefined
    return {
      call: (method, params, deadlineMs = deadlines.call) =>
        Effect.tryPromise({
          try: (signal) => {
            now ??= open()
            return run(now.api, method, params, signal)
          },
          catch: (thrown) => failureOf(thrown, token)
        }).pipe(
          Effect.timeoutOrElse({ duration: deadlineMs, orElse: () => Effect.fail(unknown) }),
          Effect.tapError((failure) => (isTokenRefused(failure) ? onRefused : Effect.void))
        ),
      renew: () => {
        // Calls in flight finish by themselves; idle connections time out.
        if (now !== undefined) agents.delete(now.agent)
        now = undefined
      }
    }
  }

  return { calls: makeClient(), polls: makeClient(), file: (path, name) => new grammy.InputFile(path, quoted(name)) }
})
