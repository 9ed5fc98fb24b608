/** The HTTP side: the Web API, uploads, downloads, answers to presses, and sockets. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { openLoopback } from "../loopback.ts"
import { type Answer, type Exchange, makeAnswering, type Parts } from "./answering.ts"
import { bearerOf, bodyOf, bytesOf, formOf } from "./body.ts"
import { Refusal } from "./refusal.ts"
import { makeResponding } from "./responding.ts"
import type { Sockets } from "./sockets.ts"

/** Shown with status 200 to people who may not read a file. */
const signIn: Answer = {
  status: 200,
  content: "<!DOCTYPE html>\n<html><head><title>Sign in | Slack</title></head><body>Sign in</body></html>\n",
  type: "text/html; charset=utf-8"
}

const text = (status: number, content: string): Answer => ({ status, content, type: "text/plain" })

export const listen = async (parts: Parts, { accept, cutAll }: Pick<Sockets, "accept" | "cutAll">) => {
  const { world, calls } = parts
  const { call, perform } = makeAnswering(parts)
  const respond = makeResponding(world)

  const download = (id: string, exchange: Exchange) =>
    perform("download", { file: id }, exchange, () => {
      const isAllowed =
        bearerOf(exchange.incoming) === parts.token && !parts.isRevoked() && world.isGranted("files:read")
      if (!isAllowed) return signIn
      const content = world.files.contentOf(id)
      if (content === undefined) return text(404, "File not found")
      return { status: 200, content, type: "application/octet-stream" }
    })

  const upload = async (id: string, exchange: Exchange) => {
    const bytes = await bytesOf(exchange.incoming)
    const type = exchange.incoming.headers["content-type"] ?? ""
    const parted = type.startsWith("multipart/form-data") ? Object.values(await formOf(bytes, type)) : []
    const part = parted.find((value) => typeof value !== "string")
    const content = part === undefined ? bytes : new Uint8Array(await part.arrayBuffer())
    await perform("upload", { file: id }, exchange, () =>
      world.files.receive(id, content) ? text(200, `OK - ${content.length}`) : text(400, "wrong upload")
    )
  }

  const answer = async (token: string, exchange: Exchange) => {
    const { params } = await bodyOf(exchange.incoming, new URLSearchParams())
    await perform("response_url", params, exchange, () => respond(token, params))
  }

  const routes: ReadonlyArray<readonly [RegExp, (part: string, exchange: Exchange) => Promise<void>]> = [
    [
      /^\/api\/([\w.]+)$/,
      async (method, exchange) => {
        const url = new URL(exchange.incoming.url ?? "/", world.root())
        await call(method, await bodyOf(exchange.incoming, url.searchParams), exchange)
      }
    ],
    [/^\/files-pri\/\w+-(F\w+)\//, download],
    [/^\/upload\/v1\/(F\w+)$/, upload],
    [/^\/actions\/\w+\/([\w-]+)$/, answer]
  ]

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const leaving = new AbortController()
    response.once("close", () => {
      if (!response.writableFinished) leaving.abort()
    })
    const exchange: Exchange = { incoming, response, left: leaving.signal }
    const { pathname } = new URL(incoming.url ?? "/", "http://127.0.0.1")
    for (const [form, route] of routes) {
      const part = form.exec(pathname)?.[1]
      if (part === undefined) continue
      return route(part, exchange).catch((error: unknown) => {
        // The client left in the middle of its request: nothing was called.
        if (!(error instanceof Refusal)) return void incoming.socket.destroy()
        response.setHeader("connection", "close")
        return perform(part, {}, exchange, () => {
          throw error
        })
      })
    }
    calls.begin(pathname, {})("answered", { status: 404 })
    response.writeHead(404).end()
  }

  return openLoopback({ handle, upgrade: accept, dropUpgraded: cutAll })
}
