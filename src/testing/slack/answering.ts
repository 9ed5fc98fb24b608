/** One call of the Web API: whose it is, whether it is taken, and its answer, with an injected fault. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Calls } from "../telegram/calls.ts"
import type { Faults } from "../telegram/faults.ts"
import type { Body } from "./body.ts"
import type { SlackFault } from "./faults.ts"
import { account } from "./methods/account.ts"
import { chat } from "./methods/chat.ts"
import { conversations } from "./methods/conversations.ts"
import { files } from "./methods/files.ts"
import { type Params, textOf } from "./params.ts"
import { Refusal, tooMany } from "./refusal.ts"
import type { Method, World } from "./world.ts"

export interface Parts {
  readonly world: World
  readonly faults: Faults<SlackFault>
  readonly calls: Calls
  readonly token: string
  readonly appToken: string
  readonly isRevoked: () => boolean
  readonly revoke: () => void
  /** Called when a call was performed, before its answer. */
  readonly notify: () => void
}

export interface Exchange {
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly left: AbortSignal
}

const methods: ReadonlyMap<string, Method> = new Map(
  Object.entries({ ...chat, ...conversations, ...files, ...account })
)

const html = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>nginx</body>\r\n</html>\r\n"

/** A post is paced in its channel, everything else in the workspace. */
const keyOf = (method: string, params: Params) =>
  method === "chat.postMessage" ? `${method} ${textOf(params, "channel")}` : method

export const makeAnswering = (parts: Parts) => {
  const { world, faults, calls, isRevoked, notify } = parts

  const checkToken = (method: Method, token: string | undefined) => {
    if (token === undefined) throw new Refusal("not_authed")
    const isApp = token === parts.appToken
    if (!isApp && token !== parts.token) throw new Refusal("invalid_auth")
    if (isApp !== (method.token === "app")) throw new Refusal("not_allowed_token_type")
    if (!isApp && isRevoked()) throw new Refusal("token_revoked")
    const { scopes = [] } = method
    if (!scopes.every(world.isGranted))
      throw new Refusal("missing_scope", { more: { needed: scopes.join(","), provided: world.scopes.join(",") } })
  }

  /** The refusal of a fault that fails the call. */
  const refusalOf = (fault: SlackFault, method: string, params: Params): Refusal | undefined => {
    if (fault === "revoked") parts.revoke()
    if (fault === "revoked") return new Refusal("token_revoked")
    if (typeof fault === "string" || "slowMs" in fault) return undefined
    if ("error" in fault) return new Refusal(fault.error, fault)
    const ms = fault.retryAfter * 1_000
    world.pace.forbid(fault.scope === "account" ? method : keyOf(method, params), ms)
    return tooMany(ms)
  }

  const take = (name: string, { params, token }: Body): Params | Refusal => {
    const method = methods.get(name)
    try {
      if (method === undefined) throw new Refusal("unknown_method", { more: { req_method: name } })
      checkToken(method, token)
      const key = keyOf(name, params)
      const late = method.pace === undefined ? undefined : world.pace.refusal(method.pace, key, name)
      if (late !== undefined) throw late
      return { ok: true, ...method.run(world, params) }
    } catch (error) {
      if (error instanceof Refusal) return error
      // A bug of the server itself: visible, without ending the test's process.
      return new Refusal("fatal_error", { status: 500, detail: error instanceof Error ? error.message : String(error) })
    }
  }

  const passed = (ms: number, left: AbortSignal) =>
    new Promise<void>((resolve) => {
      world.clock.at(world.clock.now() + ms, resolve)
      left.addEventListener("abort", () => resolve(), { once: true })
    })

  return async (method: string, body: Body, { incoming, response, left }: Exchange): Promise<void> => {
    const settle = calls.begin(method, body.params)
    left.addEventListener("abort", () => settle("left"), { once: true })
    const cut = () => {
      settle("cut")
      incoming.socket.destroy()
    }
    const send = (status: number, text: string, type = "application/json; charset=utf-8", description?: string) => {
      if (left.aborted) return
      settle("answered", { status, ...(description === undefined ? {} : { description }) })
      response.writeHead(status, { "content-type": type }).end(text)
    }
    const answer = (input: Params | Refusal) => {
      const isBot = body.token === parts.token && !isRevoked()
      response.setHeader("date", new Date(world.clock.now()).toUTCString())
      if (isBot) response.setHeader("x-oauth-scopes", world.scopes.join(","))
      if (!(input instanceof Refusal)) return send(200, JSON.stringify(input))
      calls.violate(method, input)
      if (input.retryAfter !== undefined) response.setHeader("retry-after", String(input.retryAfter))
      send(input.status, JSON.stringify({ ok: false, error: input.error, ...input.more }), undefined, input.message)
    }
    const fault = faults.take(method)
    if (fault === "hang") return
    if (fault === "cutBefore") return cut()
    if (fault === "badGateway") return send(502, html, "text/html")
    const refusal = fault === undefined ? undefined : refusalOf(fault, method, body.params)
    if (refusal !== undefined) return answer(refusal)
    const taken = take(method, body)
    notify()
    if (fault === "cutAfter") return cut()
    if (fault === "badGatewayAfter") return send(502, html, "text/html")
    if (fault === "invalidJson") return send(200, '{"ok":true,"ts":')
    if (typeof fault === "object" && "slowMs" in fault) await passed(fault.slowMs, left)
    answer(taken)
  }
}
