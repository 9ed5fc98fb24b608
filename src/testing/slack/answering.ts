/** One call of any address: whether it is taken, and its answer, with an injected fault; of the Web API, whose it is. */
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

/** All that an address answers with. */
export interface Answer {
  readonly status: number
  readonly content: string | Uint8Array
  readonly type: string
}

const methods: ReadonlyMap<string, Method> = new Map(
  Object.entries({ ...chat, ...conversations, ...files, ...account })
)

const json = "application/json; charset=utf-8"

const proxyPage: Answer = {
  status: 502,
  content: "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
  type: "text/html"
}

/** A post is paced in its channel, everything else in the workspace. */
const keyOf = (method: string, params: Params) =>
  method === "chat.postMessage" ? `${method} ${textOf(params, "channel")}` : method

export const makeAnswering = (parts: Parts) => {
  const { world, faults, calls, isRevoked, notify } = parts

  const checkToken = (method: Method, { token, isBearer }: Body) => {
    if (token === undefined) throw new Refusal("not_authed")
    const isApp = token === parts.appToken
    if (!isApp && token !== parts.token) throw new Refusal("invalid_auth")
    // The app-level token is taken in the header alone: docs, apps.connections.open.
    if (isApp && !isBearer) throw new Refusal("invalid_auth")
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

  const take = (name: string, body: Body): Answer => {
    const { params } = body
    const method = methods.get(name)
    if (method === undefined) throw new Refusal("unknown_method", { more: { req_method: name } })
    checkToken(method, body)
    const late = method.pace === undefined ? undefined : world.pace.refusal(method.pace, keyOf(name, params), name)
    if (late !== undefined) throw late
    return { status: 200, content: JSON.stringify({ ok: true, ...method.run(world, params) }), type: json }
  }

  const passed = (ms: number, left: AbortSignal) =>
    new Promise<void>((resolve) => {
      world.clock.at(world.clock.now() + ms, resolve)
      left.addEventListener("abort", () => resolve(), { once: true })
    })

  const perform = async (
    name: string,
    params: Params,
    { incoming, response, left }: Exchange,
    run: () => Promise<Answer> | Answer
  ): Promise<void> => {
    const settle = calls.begin(name, params)
    left.addEventListener("abort", () => settle("left"), { once: true })
    const cut = () => {
      settle("cut")
      incoming.socket.destroy()
    }
    const send = ({ status, content, type }: Answer, description?: string) => {
      if (left.aborted) return
      settle("answered", { status, ...(description === undefined ? {} : { description }) })
      response.writeHead(status, { "content-type": type, date: new Date(world.clock.now()).toUTCString() }).end(content)
    }
    const refuse = (refusal: Refusal) => {
      calls.violate(name, refusal)
      const { status, error, more, retryAfter, message } = refusal
      if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter))
      send({ status, content: JSON.stringify({ ok: false, error, ...more }), type: json }, message)
    }
    const taken = async (): Promise<Answer | Refusal> => {
      try {
        return await run()
      } catch (error) {
        if (error instanceof Refusal) return error
        // A bug of the server itself: visible, without ending the test's process.
        const detail = error instanceof Error ? error.message : String(error)
        return new Refusal("fatal_error", { status: 500, detail })
      }
    }
    const fault = faults.take(name)
    if (fault === "hang") return
    if (fault === "cutBefore") return cut()
    if (fault === "badGateway") return send(proxyPage)
    const refusal = fault === undefined ? undefined : refusalOf(fault, name, params)
    if (refusal !== undefined) return refuse(refusal)
    const answer = await taken()
    notify()
    if (fault === "cutAfter") return cut()
    if (fault === "badGatewayAfter") return send(proxyPage)
    if (fault === "invalidJson") return send({ status: 200, content: '{"ok":true,"ts":', type: json })
    if (typeof fault === "object" && "slowMs" in fault) await passed(fault.slowMs, left)
    if (answer instanceof Refusal) return refuse(answer)
    send(answer)
  }

  return {
    perform,
    /** A method of the Web API. */
    call: (name: string, body: Body, exchange: Exchange): Promise<void> => {
      const isBot = body.token === parts.token && !isRevoked()
      if (isBot) exchange.response.setHeader("x-oauth-scopes", world.scopes.join(","))
      return perform(name, body.params, exchange, () => take(name, body))
    }
  }
}
