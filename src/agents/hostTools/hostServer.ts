/**
 * The MCP server of the host's functions over HTTP, for CLIs that connect to a URL: on 127.0.0.1 only, with a token. Loaded
 * on demand, since it alone imports Node's HTTP server.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Effect, Layer, Redacted } from "effect"
import * as McpServer from "effect/ai/McpServer"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as NetAddress from "effect/net/NetAddress"
import type { McpServer as McpServerEntry } from "../../contract/AgentExecuteParams.ts"
import type { HostTool } from "../../contract/HostTool.ts"
import { hostMcp } from "./hostMcp.ts"

const path = "/mcp"
const maxBody = ByteSize.mebibytes(16)

/** Serves the tools until the scope closes; open connections are then closed at once, and calls interrupted. */
export const serveHostTools = Effect.fnUntraced(function* (tools: ReadonlyArray<HostTool>) {
  const app = yield* HttpRouter.toHttpEffect(McpServer.layerHttp({ ...hostMcp(tools), path }).pipe(Layer.orDie))
  const node = createServer()
  const server = yield* NodeHttpServer.make(() => node, { host: "127.0.0.1", port: 0 })
  const host = NetAddress.formatSocketAddress(server.address)
  const authorization = `Bearer ${randomBytes(32).toString("base64url")}`
  yield* server.serve(guarded(app, host, authorization))
  // Added last, so run first: the server then has no connections to wait for.
  yield* Effect.addFinalizer(() => Effect.sync(() => node.closeAllConnections()))
  return {
    url: `http://${host}${path}`,
    headers: { Authorization: Redacted.make(authorization) }
  } satisfies McpServerEntry
})

/** Refuses pages in a browser: by their `Host`, or by their `Origin`, which Effect's server checks. */
const guarded = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  host: string,
  authorization: string
) =>
  Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest
    if (headers["host"] !== host) return HttpServerResponse.empty({ status: 403 })
    if (!isSame(headers["authorization"] ?? "", authorization)) return unauthorized
    if (Number(headers["content-length"] ?? 0) > maxBody) return HttpServerResponse.empty({ status: 413 })
    return yield* Effect.provideService(app, MaxBodySize, maxBody)
  })

const unauthorized = HttpServerResponse.empty({ status: 401, headers: { "www-authenticate": "Bearer" } })

/** Compares in constant time. */
const isSame = (actual: string, expected: string): boolean => timingSafeEqual(digest(actual), digest(expected))

const digest = (text: string) => createHash("sha256").update(text).digest()
