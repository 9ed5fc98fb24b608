/**
 * The page on this machine: a server on a loopback address that answers only requests to its own name and port, with the
 * token. Other machines are served only over TLS, under the listed names.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { Effect, type Scope, Struct } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { httpServer, isLoopback, type ListenRefused, type PortTaken } from "../kit/HttpServer.ts"
import { refusal } from "./http/respond.ts"
import { problems } from "./problem.ts"
import type { WebChatOptions, WebPerson } from "./WebChatOptions.ts"
import type { WebListenOptions } from "./WebListenOptions.ts"

export interface Listening {
  readonly port: number
  /** With the token behind the `#`. */
  readonly url: string
}

const leastToken = 32
const mostConnections = 800

const wrong = (option: string, problem: string) => new InvalidParams({ option, problem })

const problemOf = ({ host = "127.0.0.1", allowRemote = false, tls, hosts = [], token, port = 0 }: WebListenOptions) => {
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
    return wrong("port", "is not a port: a number from 0 to 65535")
  if (token !== undefined && (token.length < leastToken || !/^[\w-]+$/.test(token)))
    return wrong("token", `is too short or has other characters than letters, digits, - and _: at least ${leastToken}`)
  if (!allowRemote)
    return isLoopback(host) ? undefined : wrong("host", "can be reached by others: it needs allowRemote, and TLS")
  if (tls === undefined) {
    const problem = "needs tls: without it, anyone on the network path could read the token, and act as you"
    return wrong("allowRemote", problem)
  }
  return hosts.length > 0 ? undefined : wrong("hosts", "is empty: give the names by which the page is reached")
}

const digest = (text: string) => createHash("sha256").update(text).digest()

/** Compares the token of the header in constant time. */
const byToken = (token: string, person: WebPerson): WebChatOptions["authorize"] => {
  const requested = digest(token)
  return (request) => {
    const [, received] = /^Bearer ([\w-]{1,512})$/.exec(request.headers.get("authorization") ?? "") ?? []
    return received !== undefined && timingSafeEqual(digest(received), requested) ? person : undefined
  }
}

/** True if the request names this server; DNS rebinding from another page does not. */
const isOwnHost = (received: string | null, port: number, { hosts = [], tls }: WebListenOptions): boolean => {
  const [, name, own] = /^(\[[\da-fA-F:]+\]|[^:\s]+)(?::(\d{1,5}))?$/.exec(received ?? "") ?? []
  if (name === undefined) return false
  const bare = name.replace(/^\[|\]$/g, "").toLowerCase()
  const isNamed = isLoopback(bare) || hosts.some((host) => host.toLowerCase() === bare)
  return isNamed && Number(own ?? (tls === undefined ? 80 : 443)) === port
}

/** @param make Makes the handler, which gets `authorize`. */
export const listen = <A extends { readonly handler: (request: Request) => Promise<Response> }, E, R>(
  options: WebListenOptions,
  make: (options: WebChatOptions) => Effect.Effect<A, E, R>
): Effect.Effect<A & Listening, E | InvalidParams | PortTaken | ListenRefused, R | Scope.Scope> =>
  Effect.gen(function* () {
    const refused = problemOf(options)
    if (refused !== undefined) return yield* refused
    const { port: requested = 0, host = "127.0.0.1", person = { id: "you", name: "You" }, tls } = options
    const token = options.token ?? randomBytes(32).toString("base64url")
    const own = ["port", "host", "token", "person", "allowRemote", "hosts", "tls"] as const
    const { authorize = byToken(token, person), ...chatOptions } = Struct.omit(options, own)
    const made = yield* make({ ...chatOptions, authorize })
    let port = requested
    const guarded = async (request: Request): Promise<Response> =>
      isOwnHost(request.headers.get("host"), port, options) ? made.handler(request) : refusal(problems.elsewhere)
    port = yield* httpServer({ host, port: requested, tls, mostConnections, requestMs: 300_000 }, guarded)
    const name = options.hosts?.[0] ?? (host.includes(":") ? `[${host}]` : host)
    const url = `${tls === undefined ? "http" : "https"}://${name}:${port}/#key=${token}`
    return { ...made, port, url }
  })
