/** One call: performed or not, and its answer, with an injected fault. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Body } from "./body.ts"
import type { Calls } from "./calls.ts"
import type { Faults, TelegramFault } from "./faults.ts"
import { account } from "./methods/account.ts"
import { changing } from "./methods/changing.ts"
import { sending } from "./methods/sending.ts"
import { integerOf } from "./params.ts"
import { answerOf, otherPoller, Refusal, tooMany, unauthorized } from "./refusal.ts"
import type { Answer } from "./wire.ts"
import type { Method, World } from "./world.ts"

export interface Parts {
  readonly world: World
  readonly faults: Faults
  readonly calls: Calls
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

/** Names of methods are case-insensitive: api#making-requests. */
const methods: ReadonlyMap<string, Method> = new Map(
  Object.entries<Method>({ ...sending, ...changing, ...account }).map(([name, method]) => [name.toLowerCase(), method])
)

const html = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>nginx</body>\r\n</html>\r\n"

/** The refusal of a fault that fails the call. */
const refusalOf = ({ world, revoke }: Parts, fault: TelegramFault, { params }: Body): Refusal | undefined => {
  if (fault === "conflict") return otherPoller()
  if (fault === "revoked") revoke()
  if (fault === "revoked" || fault === "unauthorized") return unauthorized()
  if (typeof fault === "string" || "slowMs" in fault) return undefined
  if ("code" in fault) return new Refusal(fault.code, fault.description, fault)
  const { retryAfter, scope = "chat" } = fault
  world.pace.forbid(scope, integerOf(params, "chat_id") ?? 0, retryAfter * 1_000)
  return tooMany(retryAfter * 1_000)
}

export const makeAnswering = (parts: Parts) => {
  const { world, faults, calls, isRevoked, notify } = parts
  const take = async (method: string, body: Body, { left }: Exchange): Promise<Answer | Refusal> => {
    const known = methods.get(method.toLowerCase())
    try {
      if (known === undefined) throw new Refusal(404, "Not Found: method not found")
      const result = await known(world, { ...body, left })
      return isRevoked() ? unauthorized() : { ok: true, result }
    } catch (error) {
      if (error instanceof Refusal) return error
      // A bug of the server itself: visible, without ending the test's process.
      return new Refusal(500, `Internal Server Error: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  const passed = (ms: number, left: AbortSignal) =>
    new Promise<void>((resolve) => {
      world.clock.at(world.clock.now() + ms, resolve)
      left.addEventListener("abort", () => resolve(), { once: true })
    })

  return async (method: string, body: Body, exchange: Exchange): Promise<void> => {
    const { incoming, response, left } = exchange
    const settle = calls.begin(method, body.params)
    left.addEventListener("abort", () => settle("left"), { once: true })
    const cut = () => {
      settle("cut")
      incoming.socket.destroy()
    }
    const send = (status: number, text: string, type = "application/json", description?: string) => {
      if (left.aborted) return
      settle("answered", { status, ...(description === undefined ? {} : { description }) })
      response.writeHead(status, { "content-type": type }).end(text)
    }
    const answer = (input: Answer | Refusal) => {
      if (!(input instanceof Refusal)) return send(200, JSON.stringify(input))
      calls.violate(method, input)
      send(input.code, JSON.stringify(answerOf(input)), "application/json", input.message)
    }
    if (isRevoked()) return answer(unauthorized())
    const fault = faults.take(method)
    if (fault === "hang") return
    if (fault === "cutBefore") return cut()
    if (fault === "badGateway") return send(502, html, "text/html")
    const refusal = fault === undefined ? undefined : refusalOf(parts, fault, body)
    if (refusal !== undefined) return answer(refusal)
    const taken = await take(method, body, exchange)
    notify()
    if (fault === "cutAfter") return cut()
    if (fault === "badGatewayAfter") return send(502, html, "text/html")
    if (fault === "invalidJson") return send(200, '{"ok":true,"result":')
    if (typeof fault === "object" && "slowMs" in fault) await passed(fault.slowMs, left)
    answer(taken)
  }
}
