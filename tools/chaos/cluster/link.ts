/** A way to a port of this machine that can be broken, and kept from passing anything on. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

/** `cut`: each connection is broken at once. `stalled`: nothing passes and nothing breaks, as on a network that is gone. */
export type LinkState = "open" | "cut" | "stalled"

export interface Link {
  readonly port: number
  readonly set: (state: LinkState) => void
  readonly close: () => void
}

/** From a port of its own to this one. */
export const openLink = async (port: number): Promise<Link> => {
  const pairs = new Set<readonly [Socket, Socket]>()
  let state: LinkState = "open"

  const server = createServer({ pauseOnConnect: true }, (near) => {
    if (state === "cut") return near.resetAndDestroy()
    const far = connect(port, "127.0.0.1")
    const pair = [near, far] as const
    pairs.add(pair)
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on("data", (chunk) => {
        // Blocked writes are awaited, unless the link is stalled by then.
        if (!to.write(chunk)) from.pause()
      })
      to.on("drain", () => {
        if (state === "open") from.resume()
      })
      from.on("end", () => to.end())
      from.on("error", () => {})
      from.on("close", () => {
        pairs.delete(pair)
        to.destroy()
      })
    }
    if (state === "open") near.resume()
    else far.pause()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()

  const breakAll = () => {
    for (const [near, far] of pairs) {
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
  }
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    set: (next) => {
      state = next
      if (next === "cut") breakAll()
      for (const socket of [...pairs].flat()) next === "open" ? socket.resume() : socket.pause()
    },
    close: () => {
      state = "cut"
      breakAll()
      server.close()
    }
  }
}
