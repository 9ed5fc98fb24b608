/** An HTTP address on 127.0.0.1 alone, which can be down for a while. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

export interface LoopbackHandlers {
  /** A failure breaks the connection. */
  readonly handle: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>
  readonly upgrade: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Drops connections that were upgraded; `node:http` keeps them. */
  readonly dropUpgraded: () => void
}

export const openLoopback = async ({ handle, upgrade, dropUpgraded }: LoopbackHandlers) => {
  let server: Server | undefined
  const open = async (port: number) => {
    const next = createServer((incoming, response) => {
      // Clients that leave in the middle of an answer are part of many tests.
      response.on("error", () => undefined)
      handle(incoming, response).catch(() => response.destroy())
    })
    next.on("upgrade", upgrade)
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
    host: `127.0.0.1:${port}`,
    /** Closes the address; `up` reopens the same. */
    down: (): Promise<void> => {
      const last = server
      server = undefined
      if (last === undefined) return Promise.resolve()
      const done = new Promise<void>((resolve) => last.close(() => resolve()))
      last.closeAllConnections()
      dropUpgraded()
      return done
    },
    up: async (): Promise<void> => {
      if (server === undefined) await open(port)
    }
  }
}
