/** One call of the REST API: performed or not, and its answer, with an injected fault. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Calls } from "../telegram/calls.ts"
import { Refusal as CallRefusal } from "../telegram/refusal.ts"
import type { Faults } from "./faults.ts"
import type { Bucket } from "./pace.ts"
import { Refusal, TooMany, unauthorized } from "./refusal.ts"
import type { Asked, routes } from "./routes.ts"
import type { World } from "./world.ts"

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

type Headers = Readonly<Record<string, string>>
type Outcome = { readonly status: number; readonly text: string; readonly headers: Headers; readonly why?: string }

const html = (title: string) =>
  `<html>\r\n<head><title>${title}</title></head>\r\n<body>cloudflare</body>\r\n</html>\r\n`
const page = (status: number, title: string, headers: Headers = {}): Outcome => ({
  status,
  text: html(title),
  headers: { "content-type": "text/html", ...headers },
  why: title
})
const json = (status: number, value: unknown, headers: Headers = {}, why?: string): Outcome => ({
  status,
  text: JSON.stringify(value),
  headers: { "content-type": "application/json", ...headers },
  ...(why === undefined ? {} : { why })
})

const headersOf = (bucket: Bucket | undefined): Headers =>
  bucket === undefined
    ? {}
    : {
        "x-ratelimit-limit": String(bucket.limit),
        "x-ratelimit-remaining": String(bucket.remaining),
        "x-ratelimit-reset": String(bucket.resetAt / 1_000),
        "x-ratelimit-reset-after": String(bucket.resetAfterMs / 1_000),
        "x-ratelimit-bucket": bucket.name
      }

const refused = (refusal: Refusal, bucket?: Bucket): Outcome => {
  if (!(refusal instanceof TooMany))
    return json(refusal.status, refusal.body, headersOf(bucket), `${refusal.code} ${refusal.message}`)
  const seconds = refusal.retryAfterMs / 1_000
  return json(
    429,
    { message: refusal.message, retry_after: seconds, global: refusal.isGlobal },
    {
      "retry-after": String(Math.ceil(seconds)),
      "x-ratelimit-scope": refusal.isGlobal ? "global" : "user",
      ...(refusal.isGlobal
        ? { "x-ratelimit-global": "true" }
        : { "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": String(seconds) })
    },
    refusal.message
  )
}

export const makeAnswering = (parts: Parts) => {
  const { world, faults, calls, isRevoked, revoke, notify } = parts

  /** The answer of a fault that fails the call. */
  const faulty = (
    fault: NonNullable<ReturnType<Faults["take"]>>,
    name: string,
    { ids: [channel = ""] }: Asked
  ): Outcome | undefined => {
    if (fault === "badGateway") return page(502, "502 Bad Gateway")
    if (fault === "banned") return page(403, "Access denied")
    if (fault === "revoked") revoke()
    if (fault === "revoked" || fault === "unauthorized") return refused(unauthorized())
    if (typeof fault === "string" || "slowMs" in fault) return undefined
    if ("code" in fault) return refused(new Refusal(fault.status ?? 400, fault.code, fault.description))
    const { retryAfter, scope = "channel" } = fault
    if (scope === "cloudflare") return page(429, "Too Many Requests", { "retry-after": String(retryAfter) })
    world.pace.forbid(scope, name, channel, retryAfter * 1_000)
    return refused(new TooMany(retryAfter * 1_000, scope === "account"))
  }

  const take = (route: (typeof routes)[number], request: Asked): Outcome => {
    let bucket: Bucket | undefined
    try {
      if (route.isPaced === true) bucket = world.pace.take(route.name, request.ids[0] ?? "")
      const result = route.run(world, request)
      return result === undefined
        ? { status: 204, text: "", headers: headersOf(bucket) }
        : json(200, result, headersOf(bucket))
    } catch (error) {
      if (!(error instanceof Refusal))
        // A bug of the server itself: visible, without ending the test's process.
        return json(500, { message: error instanceof Error ? error.message : String(error), code: 0 })
      const { broken } = error.facts
      if (broken !== undefined) calls.violate(route.name, new CallRefusal(error.status, error.message, { broken }))
      return refused(error, bucket)
    }
  }

  const passed = (ms: number, left: AbortSignal) =>
    new Promise<void>((resolve) => {
      world.clock.at(world.clock.now() + ms, resolve)
      left.addEventListener("abort", () => resolve(), { once: true })
    })

  return async (
    route: (typeof routes)[number],
    request: Asked,
    { incoming, response, left }: Exchange
  ): Promise<void> => {
    const params = { ...Object.fromEntries(request.query), path: request.ids, body: request.json }
    const settle = calls.begin(route.name, params)
    left.addEventListener("abort", () => settle("left"), { once: true })
    const cut = () => {
      settle("cut")
      incoming.socket.destroy()
    }
    const answer = ({ status, text, headers, why }: Outcome) => {
      if (left.aborted) return
      settle("answered", { status, ...(why === undefined ? {} : { description: why }) })
      response.writeHead(status, headers).end(text)
    }
    if (isRevoked() && route.isOpen !== true) return answer(refused(unauthorized()))
    const fault = faults.take(route.name)
    if (fault === "hang") return
    if (fault === "cutBefore") return cut()
    const failed = fault === undefined ? undefined : faulty(fault, route.name, request)
    if (failed !== undefined) return answer(failed)
    const taken = take(route, request)
    notify()
    if (fault === "cutAfter") return cut()
    if (fault === "badGatewayAfter") return answer(page(502, "502 Bad Gateway"))
    if (fault === "invalidJson") return answer({ ...taken, status: 200, text: '{"id":' })
    if (typeof fault === "object" && "slowMs" in fault) await passed(fault.slowMs, left)
    answer(taken)
  }
}
