/** The HTTP side, on 127.0.0.1 alone: checks the token, and can be down for a while. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { type Exchange, makeAnswering, type Parts } from "./answering.ts"
import { bodyOf } from "./body.ts"
import { answerOf, notFound, Refusal, unauthorized } from "./refusal.ts"

const form = /^\/(file\/)?bot([^/]+)\/(.+)$/
/** For anything but a token, Telegram answers "not found". */
const isToken = (text: string) => /^\d+:[\w-]+$/.test(text)

const refuse = (response: ServerResponse, refusal: Refusal) => {
  if (response.destroyed) return
  response.writeHead(refusal.code, { "content-type": "application/json" }).end(JSON.stringify(answerOf(refusal)))
}

export const listen = async (parts: Parts, token: string) => {
  const { world, calls, faults } = parts
  const answer = makeAnswering(parts)
  const download = (path: string, { incoming, response, left }: Exchange) => {
    const settle = calls.begin("download", { path })
    left.addEventListener("abort", () => settle("left"), { once: true })
    const fault = faults.take("download")
    if (fault === "hang") return
    if (fault === "cutBefore" || fault === "cutAfter") {
      settle("cut")
      return incoming.socket.destroy()
    }
    const content = fault === undefined && !parts.isRevoked() ? world.files.download(path) : undefined
    const status = content === undefined ? 404 : 200
    settle("answered", { status })
    if (content === undefined) return refuse(response, notFound())
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(content)
  }

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const leaving = new AbortController()
    response.once("close", () => {
      if (!response.writableFinished) leaving.abort()
    })
    // Clients that leave in the middle of an answer are part of many tests.
    response.on("error", () => undefined)
    const url = new URL(incoming.url ?? "/", "http://127.0.0.1")
    const [, file, input, rest] = form.exec(decodeURIComponent(url.pathname)) ?? []
    if (input === undefined || rest === undefined || !isToken(input)) return refuse(response, notFound())
    if (input !== token) return refuse(response, unauthorized())
    const exchange: Exchange = { incoming, response, left: leaving.signal }
    if (file !== undefined) return download(rest, exchange)
    const body = await bodyOf(incoming, url.searchParams).catch((error: unknown) =>
      error instanceof Refusal ? error : undefined
    )
    if (body instanceof Refusal) {
      calls.violate(rest, body)
      calls.begin(rest, {})("answered", { status: body.code, description: body.message })
      response.setHeader("connection", "close")
      return refuse(response, body)
    }
    // Undefined if the client left in the middle of its request: nothing was called.
    if (body !== undefined) await answer(rest, body, exchange)
  }
  let server: Server | undefined
  const open = async (port: number) => {
    const next = createServer((incoming, response) => {
      // Unreadable requests, such as a broken address.
      handle(incoming, response).catch(() => response.destroy())
    })
    // Idle clients keep their connection.
    next.keepAliveTimeout = 0
    await new Promise<void>((resolve, reject) => next.once("error", reject).listen(port, "127.0.0.1", resolve))
    server = next
    const address = next.address()
    if (address === null || typeof address === "string") throw new Error("the server has no port")
    return address.port
  }
  const port = await open(0)
  return {
    url: `http://127.0.0.1:${port}`,
    /** Closes the address; `up` reopens the same. */
    down: (): Promise<void> => {
      const last = server
      server = undefined
      if (last === undefined) return Promise.resolve()
      const done = new Promise<void>((resolve) => last.close(() => resolve()))
      last.closeAllConnections()
      return done
    },
    up: async (): Promise<void> => {
      if (server === undefined) await open(port)
    }
  }
}
