/** An HTTP server in a scope, with limits for requests of strangers; what is open is cut off when the scope closes. */
import { createServer as createHttp, type Server } from "node:http"
import { createServer as createHttps } from "node:https"
import { Effect, Schema, type Scope } from "effect"
import { acrossCopies } from "../../contract/acrossCopies.ts"
import { nodeHandler } from "./nodeHandler.ts"

/** Another program listens there. */
export class PortTaken extends Schema.TaggedError<PortTaken>()("PortTaken", {
  host: Schema.String,
  port: Schema.Int
}) {
  override get message(): string {
    return `Port ${this.port} on ${this.host} is in use by another program: choose another port, or 0 for any free one`
  }
}

/** The address cannot be listened on. */
export class ListenRefused extends Schema.TaggedError<ListenRefused>()("ListenRefused", {
  host: Schema.String,
  port: Schema.Int,
  /** Code of the system, such as `EACCES`. */
  code: Schema.String
}) {
  override get message(): string {
    return `Port ${this.port} on ${this.host} cannot be listened on (${this.code})`
  }
}

for (const type of [PortTaken, ListenRefused]) acrossCopies(type, type.identifier)

/** True for an address that only this machine reaches. */
export const isLoopback = (host: string): boolean => /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/.test(host)

export interface HttpServerOptions {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  readonly tls?: { readonly key: string; readonly cert: string } | undefined
  readonly mostConnections: number
  /** How long a request may take to arrive. */
  readonly requestMs: number
}

const opened = (server: Server, host: string, port: number) =>
  Effect.callback<number, PortTaken | ListenRefused>((resume) => {
    server.once("error", (error) => {
      const code = "code" in error ? String(error.code) : "unknown"
      resume(
        Effect.fail(code === "EADDRINUSE" ? new PortTaken({ host, port }) : new ListenRefused({ host, port, code }))
      )
    })
    server.listen(port, host, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

/** Returns the port. `handler` never rejects. */
export const httpServer = (
  { host, port, tls, mostConnections, requestMs }: HttpServerOptions,
  handler: (request: Request) => Promise<Response>
): Effect.Effect<number, PortTaken | ListenRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = {
      keepAliveTimeout: 10_000,
      headersTimeout: 15_000,
      requestTimeout: requestMs,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 16_384
    }
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        tls === undefined
          ? createHttp(settings, nodeHandler(handler))
          : createHttps({ ...settings, key: tls.key, cert: tls.cert }, nodeHandler(handler))
      ),
      (open) =>
        Effect.callback<void>((resume) => {
          open.close(() => resume(Effect.void))
          open.closeAllConnections()
        })
    )
    server.maxConnections = mostConnections
    const bound = yield* opened(server, host, port)
    server.on("error", () => {})
    return bound
  })
