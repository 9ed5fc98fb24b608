/** The HTTP side, on 127.0.0.1 alone: checks the token, performs a call or not, answers with an injected fault. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Calls } from "../telegram/calls.ts"
import type { Faults } from "../telegram/faults.ts"
import { isRecord, type Params } from "../telegram/params.ts"
import type { WhatsAppFault } from "./faults.ts"
import { limits } from "./limits.ts"
import { debugToken, isRead, messages, phoneFields, subscribedApps } from "./methods.ts"
import { answerOf, invalid, Refusal, unauthorized, unknownPath } from "./refusal.ts"
import type { World } from "./world.ts"

export interface Parts {
  readonly world: World
  readonly faults: Faults<WhatsAppFault>
  readonly calls: Calls
  readonly isRevoked: () => boolean
  readonly revoke: () => void
  /** Called when a call was performed, before its answer. */
  readonly notify: () => void
}

const mostBytes = limits.media.document.most + 1_000_000

const bytesOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of incoming) {
    length += chunk.length
    if (length > mostBytes) throw new Refusal(131_053, "Request Entity Too Large", { status: 413, broken: "limit" })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

interface Body {
  readonly params: Params
  readonly form: FormData | undefined
}

const bodyOf = async (incoming: IncomingMessage): Promise<Body> => {
  const bytes = await bytesOf(incoming)
  const type = incoming.headers["content-type"] ?? ""
  if (type.startsWith("multipart/form-data")) {
    const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData()
    return { params: {}, form }
  }
  if (bytes.length === 0) return { params: {}, form: undefined }
  let params: unknown
  try {
    params = JSON.parse(bytes.toString("utf8"))
  } catch {
    throw invalid("The body is not JSON.")
  }
  if (!isRecord(params)) throw invalid("The body is not an object.")
  return { params, form: undefined }
}

interface Route {
  /** For `fail` and `calls`. */
  readonly name: string
  readonly perform: () => unknown
}

const html = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>proxygen</body>\r\n</html>\r\n"

export const listen = async (parts: Parts) => {
  const { world, faults, calls, isRevoked, revoke, notify } = parts
  const { account, media, clock } = world
  let origin = ""

  const routeOf = (method: string, url: URL, { params, form }: Body): Route => {
    const [first = "", second = ""] = url.pathname
      .replace(/^\/v\d+\.\d+(?=\/)/, "")
      .split("/")
      .slice(1)
    const query = url.searchParams
    if (first === account.phone && second === "messages" && method === "POST")
      return { name: isRead(params) ? "read" : "messages", perform: () => messages(world, params) }
    if (first === account.phone && second === "media" && method === "POST")
      return {
        name: "media",
        perform: () => {
          if (form === undefined) throw invalid("The body is not a form.")
          // A query may have it, too.
          if (!form.has("messaging_product")) form.set("messaging_product", query.get("messaging_product") ?? "")
          return media.upload(form)
        }
      }
    if (first === account.phone && second === "" && method === "GET")
      return { name: "phone", perform: () => phoneFields(world, query.get("fields")) }
    if (first === "debug_token") return { name: first, perform: () => debugToken(world, query.get("input_token")) }
    if (first === account.waba && second === "subscribed_apps")
      return {
        name: second,
        perform: () => {
          if (method !== "POST") return subscribedApps(world)
          world.isSubscribed = true
          return { success: true }
        }
      }
    const file = second === "" && method === "GET" ? first : ""
    return {
      name: /^\d+$/.test(file) ? "file" : "unknown",
      perform: () => {
        const found = file === "" ? undefined : media.describe(file, origin)
        if (found === undefined) throw unknownPath()
        return found
      }
    }
  }

  const passed = (ms: number, left: AbortSignal) =>
    new Promise<void>((resolve) => {
      clock.at(clock.now() + ms, resolve)
      left.addEventListener("abort", () => resolve(), { once: true })
    })

  const refusalOf = (fault: WhatsAppFault): Refusal | undefined => {
    if (fault === "revoked") revoke()
    if (fault === "revoked" || fault === "unauthorized") return unauthorized()
    if (typeof fault === "string" || "slowMs" in fault) return undefined
    return new Refusal(fault.code, fault.details ?? "injected", fault)
  }

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const leaving = new AbortController()
    response.once("close", () => {
      if (!response.writableFinished) leaving.abort()
    })
    // Clients that leave in the middle of an answer are part of many tests.
    response.on("error", () => undefined)
    const left = leaving.signal
    const url = new URL(incoming.url ?? "/", origin)
    let settle: ReturnType<Calls["begin"]> | undefined
    const send = (
      status: number,
      text: string | Uint8Array,
      headers: Record<string, string> = {},
      description?: string
    ) => {
      if (left.aborted) return
      settle?.("answered", { status, ...(description === undefined ? {} : { description }) })
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(text)
    }
    let name = "unknown"
    const refuse = (refusal: Refusal) => {
      const { status, retryAfter, message } = refusal
      calls.violate(name, refusal)
      const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }
      send(status, JSON.stringify(answerOf(refusal)), headers, message)
    }
    const cut = () => {
      settle?.("cut")
      incoming.socket.destroy()
    }
    const begin = (own: string, params: Params) => {
      name = own
      settle = calls.begin(own, params)
      left.addEventListener("abort", () => settle?.("left"), { once: true })
    }
    const isDownload = url.pathname.startsWith("/whatsapp_business/")
    try {
      const body = await bodyOf(incoming)
      const route = isDownload
        ? { name: "download", perform: () => undefined }
        : routeOf(incoming.method ?? "GET", url, body)
      begin(route.name, body.params)
      if (isRevoked() || incoming.headers.authorization !== `Bearer ${world.token}`) throw unauthorized()
      const fault = faults.take(route.name)
      if (fault === "hang") return
      if (fault === "cutBefore") return cut()
      if (fault === "badGateway") return send(502, html, { "content-type": "text/html" })
      const refusal = fault === undefined ? undefined : refusalOf(fault)
      if (refusal !== undefined) throw refusal
      const result = await route.perform()
      notify()
      if (fault === "hangAfter") return
      if (fault === "cutAfter") return cut()
      if (fault === "badGatewayAfter") return send(502, html, { "content-type": "text/html" })
      if (fault === "invalidJson") return send(200, '{"messaging_product":')
      if (typeof fault === "object" && "slowMs" in fault) await passed(fault.slowMs, left)
      if (!isDownload) return send(200, JSON.stringify(result))
      const file = media.download(url.pathname)
      if (file === undefined) return send(404, "")
      send(200, file.content, { "content-type": file.mimeType })
    } catch (error) {
      if (settle === undefined && left.aborted) return
      // A bug of the server itself is visible, without ending the test's process.
      refuse(error instanceof Refusal ? error : new Refusal(1, String(error), { status: 500 }))
    }
  }

  let server: Server | undefined
  let connections = 0
  const open = async (port: number) => {
    const next = createServer((incoming, response) => {
      handle(incoming, response).catch(() => response.destroy())
    })
    next.keepAliveTimeout = 0
    next.on("connection", () => {
      connections += 1
    })
    await new Promise<void>((resolve, reject) => next.once("error", reject).listen(port, "127.0.0.1", resolve))
    server = next
    const address = next.address()
    if (address === null || typeof address === "string") throw new Error("the server has no port")
    return address.port
  }
  const port = await open(0)
  origin = `http://127.0.0.1:${port}`
  return {
    origin,
    connections: () => connections,
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
