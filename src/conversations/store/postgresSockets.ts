/**
 * The connections of a store to its server, as sockets of ours: a server that is stopped, or a network that swallows all,
 * would hold a statement up for ever, since the driver waits for its answer whatever is interrupted.
 */
import { connect, type Socket } from "node:net"
import { Effect } from "effect"
import { StoreUnavailable } from "../../contract/AgentError.ts"
import { StoreError } from "../../contract/StoreError.ts"

export interface ServerAddress {
  /** A name, or the directory of a socket. */
  readonly host: string
  readonly port: number
}

const silent = new StoreError({ reason: new StoreUnavailable({ problem: "the database did not answer for 30 s" }) })

export const makeSockets = ({ host, port }: ServerAddress) => {
  const sockets = new Set<Socket>()
  const open = () => {
    const socket = host.startsWith("/")
      ? connect({ path: `${host}/.s.PGSQL.${port}` })
      : connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000 })
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    return socket
  }
  const cut = Effect.sync(() => {
    for (const socket of sockets) socket.destroy()
  })
  /** After 30 s, all connections are cut: what waits fails, and the next work opens new ones. */
  const answered = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreError, R> =>
    Effect.raceFirst(work, Effect.andThen(Effect.andThen(Effect.sleep("30 seconds"), cut), Effect.fail(silent)))
  return { open, answered }
}
