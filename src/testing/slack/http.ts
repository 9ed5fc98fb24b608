/** The HTTP side: the Web API, uploads, downloads, answers to presses, and sockets. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { openLoopback } from "../loopback.ts"
import { type Exchange, makeAnswering, type Parts } from "./answering.ts"
import { bodyOf, bytesOf, tokenOf } from "./body.ts"
import { Refusal } from "./refusal.ts"
import { makeResponding } from "./responding.ts"

const signIn =
  "<!DOCTYPE html>\n<html><head><title>Sign in | Slack</title></head><body>Sign in to your workspace</body></html>\n"

export const listen = async (parts: Parts) => {
  const { world, calls, faults } = parts
  const answer = makeAnswering(parts)
  const respond = makeResponding(parts.world)

  const sendText = (response: ServerResponse, status: number, text: string, type = "text/plain") =>
    void response.writeHead(status, { "content-type": type }).end(text)

  /** Undefined if a fault has ended the call. */
  const begun = (method: string, params: Readonly<Record<string, unknown>>, { incoming, left }: Exchange) => {
    const settle = calls.begin(method, params)
    left.addEventListener("abort", () => settle("left"), { once: true })
    const fault = faults.take(method)
    if (fault === "hang") return undefined
    if (fault === "cutBefore" || fault === "cutAfter") {
      settle("cut")
      incoming.socket.destroy()
      return undefined
    }
    const status = typeof fault === "object" && "error" in fault ? (fault.status ?? 404) : undefined
    return { settle, status }
  }

  const download = (id: string, exchange: Exchange) => {
    const call = begun("download", { file: id }, exchange)
    if (call === undefined) return
    const { incoming, response } = exchange
    const content = call.status === undefined ? world.files.contentOf(id) : undefined
    // Whoever may not read the file is shown the page to sign in, with status 200.
    const isAllowed = tokenOf(incoming) === parts.token && !parts.isRevoked() && world.isGranted("files:read")
    const status = call.status ?? (isAllowed && content === undefined ? 404 : 200)
    call.settle("answered", { status })
    if (!isAllowed) return sendText(response, status, signIn, "text/html; charset=utf-8")
    if (content === undefined) return sendText(response, status, "File not found")
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(content)
  }

  const upload = async (id: string, exchange: Exchange) => {
    const call = begun("upload", { file: id }, exchange)
    if (call === undefined) return
    const { incoming, response } = exchange
    const bytes = await bytesOf(incoming)
    const type = incoming.headers["content-type"] ?? ""
    const part = type.startsWith("multipart/form-data")
      ? [
          ...(await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData()).values()
        ].find((value) => typeof value !== "string")
      : undefined
    const content = part === undefined ? bytes : new Uint8Array(await part.arrayBuffer())
    const status = call.status ?? (world.files.receive(id, content) ? 200 : 400)
    call.settle("answered", { status })
    parts.notify()
    sendText(response, status, status === 200 ? `OK - ${content.length}` : "wrong upload")
  }

  const routes: ReadonlyArray<readonly [RegExp, (part: string, exchange: Exchange) => Promise<void> | void]> = [
    [/^\/files-pri\/\w+-(F\w+)\//, download],
    [/^\/upload\/v1\/(F\w+)$/, upload],
    [
      /^\/actions\/\w+\/([\w-]+)$/,
      async (token, exchange) => {
        const { params } = await bodyOf(exchange.incoming, new URLSearchParams())
        const call = begun("response_url", params, exchange)
        if (call === undefined) return
        const { status, text } =
          call.status === undefined ? respond(token, params) : { status: call.status, text: '{"ok":false}' }
        call.settle("answered", { status })
        parts.notify()
        sendText(exchange.response, status, text, "application/json")
      }
    ]
  ]

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const leaving = new AbortController()
    response.once("close", () => {
      if (!response.writableFinished) leaving.abort()
    })
    const url = new URL(incoming.url ?? "/", "http://127.0.0.1")
    const exchange: Exchange = { incoming, response, left: leaving.signal }
    const method = /^\/api\/([\w.]+)$/.exec(url.pathname)?.[1]
    try {
      if (method !== undefined) return await answer(method, await bodyOf(incoming, url.searchParams), exchange)
      for (const [form, route] of routes) {
        const part = form.exec(url.pathname)?.[1]
        if (part !== undefined) return await route(part, exchange)
      }
      sendText(response, 404, "Not Found")
    } catch (error) {
      // The client left in the middle of its request: nothing was called.
      if (!(error instanceof Refusal)) return void incoming.socket.destroy()
      calls.violate(method ?? "", error)
      if (method !== undefined)
        calls.begin(method, {})("answered", { status: error.status, description: error.message })
      response.setHeader("connection", "close")
      sendText(response, error.status, JSON.stringify({ ok: false, error: error.error }), "application/json")
    }
  }

  return openLoopback({ handle, upgrade: world.sockets.accept, dropUpgraded: world.sockets.cutAll })
}
