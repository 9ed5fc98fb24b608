/**
 * Makes a handler from Request to Response one of Node's HTTP server. Bodies are read on demand. A client that reads nothing
 * for half a minute is cut off, and reconnects for the rest.
 */
import type { IncomingMessage, ServerResponse } from "node:http"

const usualStallMs = 30_000
/** Longest time to read on after a refused upload, so that the client gets the answer. */
const leftMs = 10_000
const leftBytes = 100_000_000

const headersOf = ({ rawHeaders }: IncomingMessage): Headers => {
  const headers = new Headers()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "")
  return headers
}

/** Applies backpressure to the socket, and buffers nothing. */
const bodyOf = (incoming: IncomingMessage): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        let isOver = false
        const end = (work: () => void) => () => {
          if (isOver) return
          isOver = true
          try {
            work()
          } catch {
            // It was cancelled.
          }
        }
        incoming.on("data", (chunk: Buffer) => {
          if (isOver) return
          try {
            controller.enqueue(chunk)
            if ((controller.desiredSize ?? 0) <= 0) incoming.pause()
          } catch {
            isOver = true
          }
        })
        const complete = end(() => controller.close())
        const broken = end(() => controller.error(new Error("the request was cut off")))
        incoming.on("end", complete)
        incoming.on("error", broken)
        incoming.on("close", broken)
        incoming.pause()
      },
      pull: () => void incoming.resume(),
      cancel: () => void incoming.pause()
    },
    { highWaterMark: 0 }
  )

const requestOf = (incoming: IncomingMessage, signal: AbortSignal): Request => {
  const { method = "GET", url = "/", headers, socket } = incoming
  const scheme = "encrypted" in socket && socket.encrypted === true ? "https" : "http"
  const hasBody = method !== "GET" && method !== "HEAD"
  // A path that begins with two slashes would be a host.
  const target = new URL(`${scheme}://${headers.host ?? "localhost"}`)
  const [path = "/", ...query] = url.split("?")
  target.pathname = path
  target.search = query.join("?")
  return new Request(target, {
    method,
    headers: headersOf(incoming),
    signal,
    ...(hasBody ? { body: bodyOf(incoming), duplex: "half" } : {})
  })
}

/** Returns false if the client is gone, or stalls. */
const drained = (outgoing: ServerResponse, stallMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const done = (isReady: boolean) => () => {
      clearTimeout(timer)
      outgoing.off("drain", ready)
      outgoing.off("close", gone)
      resolve(isReady)
    }
    const [ready, gone] = [done(true), done(false)]
    const timer = setTimeout(gone, stallMs)
    outgoing.once("drain", ready)
    outgoing.once("close", gone)
  })

/** Discards the rest of a request for a while. */
const readAway = (incoming: IncomingMessage) => {
  if (incoming.destroyed) return
  let bytes = 0
  const timer = setTimeout(() => incoming.destroy(), leftMs)
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > leftBytes) incoming.destroy()
  })
  incoming.once("close", () => clearTimeout(timer))
  incoming.resume()
}

const write = async (incoming: IncomingMessage, outgoing: ServerResponse, response: Response, stallMs: number) => {
  const { status, headers, body } = response
  const isLeft = !incoming.complete
  outgoing.writeHead(status, { ...Object.fromEntries(headers), ...(isLeft ? { connection: "close" } : {}) })
  const reader = body?.getReader()
  if (reader === undefined || incoming.method === "HEAD") {
    await reader?.cancel().catch(() => {})
    outgoing.end()
  } else {
    const cancel = () => void reader.cancel().catch(() => {})
    outgoing.once("close", cancel)
    if (status === 200) outgoing.flushHeaders()
    while (true) {
      const { done, value } = await reader.read()
      if (done || outgoing.destroyed) break
      if (!outgoing.write(value) && !(await drained(outgoing, stallMs))) {
        outgoing.destroy()
        return cancel()
      }
    }
    outgoing.end()
  }
  if (isLeft) readAway(incoming)
}

export interface NodeHandlerOptions {
  /** How long a client may read nothing. Default: 30,000. */
  readonly stallMs?: number | undefined
}

export const nodeHandler =
  (handler: (request: Request) => Promise<Response>, { stallMs = usualStallMs }: NodeHandlerOptions = {}) =>
  (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const abort = new AbortController()
    outgoing.once("close", () => abort.abort())
    outgoing.on("error", () => {})
    const answer = async () => {
      let request: Request
      try {
        request = requestOf(incoming, abort.signal)
      } catch {
        outgoing.writeHead(400, { connection: "close", "content-length": "0" })
        outgoing.end()
        return
      }
      await write(incoming, outgoing, await handler(request), stallMs)
    }
    answer().catch(() => outgoing.destroy())
  }
