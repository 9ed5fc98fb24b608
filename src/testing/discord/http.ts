/** The HTTP side, on 127.0.0.1 alone: the REST API below `/api/v10`, files, and the gateway's sockets; down for a while. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { openLoopback } from "../loopback.ts"
import { makeWebSockets, refuseUpgrade } from "../webSocket/webSockets.ts"
import { type Exchange, makeAnswering, type Parts } from "./answering.ts"
import { bodyOf } from "./body.ts"
import type { Gateway } from "./gateway.ts"
import { noRoute, Refusal, unauthorized } from "./refusal.ts"
import { routes } from "./routes.ts"

const root = /^\/api\/v10(\/.*)$/

const refuse = (response: ServerResponse, refusal: Refusal) => {
  if (response.destroyed) return
  response.writeHead(refusal.status, { "content-type": "application/json" }).end(JSON.stringify(refusal.body))
}

export const listen = async (parts: Parts, token: string, gateway: Pick<Gateway, "connect">) => {
  const { world, calls, faults } = parts
  const sockets = makeWebSockets()
  const answer = makeAnswering(parts)

  const download = (path: string, { incoming, response, left }: Exchange) => {
    const settle = calls.begin("download", { path })
    left.addEventListener("abort", () => settle("left"), { once: true })
    const fault = faults.take("download")
    if (fault === "hang") return
    if (fault === "cutBefore" || fault === "cutAfter") {
      settle("cut")
      return void incoming.socket.destroy()
    }
    const file = fault === undefined ? world.fileAt(path) : undefined
    settle("answered", { status: file === undefined ? 404 : 200 })
    if (file === undefined)
      return void response.writeHead(404, { "content-type": "text/plain" }).end("This content is no longer available.")
    response.writeHead(200, { "content-type": file.type ?? "application/octet-stream" }).end(file.content)
  }

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const leaving = new AbortController()
    response.once("close", () => {
      if (!response.writableFinished) leaving.abort()
    })
    const exchange: Exchange = { incoming, response, left: leaving.signal }
    const raw = incoming.url ?? "/"
    if (raw.startsWith("/attachments/")) return download(raw, exchange)
    const url = new URL(raw, "http://127.0.0.1")
    const path = root.exec(url.pathname)?.[1]
    const found =
      path === undefined ? undefined : routes.find((each) => each.method === incoming.method && each.path.test(path))
    if (path === undefined || found === undefined) return refuse(response, noRoute())
    if (found.isOpen !== true && incoming.headers.authorization !== `Bot ${token}`)
      return refuse(response, unauthorized())
    const [, ...ids] = found.path.exec(path) ?? []
    const body = await bodyOf(incoming).catch((error: unknown) => (error instanceof Refusal ? error : undefined))
    if (body instanceof Refusal) {
      calls.begin(found.name, { path: ids })("answered", { status: body.status, description: body.message })
      response.setHeader("connection", "close")
      return refuse(response, body)
    }
    // Undefined if the client left in the middle of its request: nothing was called.
    if (body !== undefined) await answer(found, { ...body, ids, query: url.searchParams }, exchange)
  }

  const onUpgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const fault = faults.take("gateway")
    if (fault === "hang") return
    if (fault !== undefined) return refuseUpgrade(socket, 502, "Bad Gateway")
    let client: ReturnType<Gateway["connect"]> | undefined
    const accepted = sockets.accept(incoming, socket, head, {
      text: (text) => client?.receive(text),
      closed: (code) => client?.closed(code)
    })
    if (accepted !== undefined) client = gateway.connect(accepted)
  }

  const { host, down, up } = await openLoopback({ handle, upgrade: onUpgrade, dropUpgraded: sockets.cutAll })
  world.address.url = `http://${host}`
  return { url: `http://${host}/api`, down, up }
}
