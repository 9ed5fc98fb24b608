/** The HTTP side of a scripted model server, on 127.0.0.1 alone: keeps its requests, with promises to wait on. */
import { createServer, type IncomingMessage } from "node:http"
import { isNodeOk, oldestNode } from "../../system/process/nodeVersion.ts"
import { reply, sendJson } from "./reply.ts"
import type { ModelRequest, ModelServer, Protocol, Received, RequestHeaders, RequestKind } from "./request.ts"
import { makeAnswerer, type Script } from "./script.ts"

const bodyOf = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

const headersOf = (incoming: IncomingMessage): RequestHeaders =>
  Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value])
  )

const readSafely = <Body>(protocol: Protocol<Body>, received: Received) => {
  try {
    return protocol.read(received)
  } catch {
    return "unreadable"
  }
}

export const startServer = async <Body>(
  protocol: Protocol<Body>,
  script: Script<ModelRequest<Body>>
): Promise<ModelServer<Body>> => {
  const answerTo = makeAnswerer(script)
  const requests: Array<ModelRequest<Body>> = []
  const others: Array<string> = []
  const waiting = new Set<() => void>()
  const of = (kind: RequestKind) => requests.filter((request) => request.kind === kind)
  if (!isNodeOk(process.version)) throw new Error(`a ModelServer needs Node.js ${oldestNode} or newer`)
  const server = createServer(async (incoming, response) => {
    // Clients that leave in the middle of an answer are part of many scripts.
    response.on("error", () => undefined)
    const body = await bodyOf(incoming).catch(() => undefined)
    if (body === undefined) return
    const { method = "GET" } = incoming
    const headers = headersOf(incoming)
    const path = new URL(incoming.url ?? "/", "http://127.0.0.1").pathname
    const requested = readSafely(protocol, { method, path, headers, body })
    if (requested === undefined || requested === "unreadable") {
      others.push(`${method} ${path}`)
      if (protocol.known !== undefined && path in protocol.known) return sendJson(response, 200, protocol.known[path])
      const [status, message] =
        requested === undefined ? [404, "not scripted"] : [400, "not a request that can be read"]
      return sendJson(response, status, protocol.wire.failure({ status, message }))
    }
    const sent = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    response.once("close", closed.resolve)
    const request: ModelRequest<Body> = {
      ...requested,
      prompt: requested.prompts.at(-1) ?? "",
      nth: of(requested.kind).length + 1,
      headers,
      sent: sent.promise,
      closed: closed.promise,
      drop: () => void response.destroy()
    }
    requests.push(request)
    for (const look of waiting) look()
    const { model, stream } = requested
    try {
      await reply(response, { model, stream, serial: requests.length }, protocol.wire, answerTo(request))
    } catch (error) {
      // Throwing would end the process of the test.
      const message = `the script gave what cannot be sent: ${error instanceof Error ? error.message : String(error)}`
      if (response.headersSent) response.destroy()
      else sendJson(response, 400, protocol.wire.failure({ status: 400, message }))
    } finally {
      sent.resolve()
    }
  })
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  const arrival = (nth: number, kind: RequestKind = "main"): Promise<ModelRequest<Body>> =>
    new Promise((resolve) => {
      const look = () => {
        const found = of(kind)[nth - 1]
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })

  const close = (): Promise<void> => {
    const done = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeAllConnections()
    return done
  }
  return { url: `http://127.0.0.1:${address.port}`, requests, others, of, arrival, [Symbol.asyncDispose]: close }
}
