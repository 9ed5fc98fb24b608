/** A PostgreSQL server: its URL, checked, with the part that may be shown; and the sockets to it. */
import { connect, type Socket } from "node:net"
import { Effect, Result } from "effect"
import { InvalidParams, StoreUnavailable } from "../../contract/AgentError.ts"
import { StoreError } from "../../contract/StoreError.ts"
import { harmless } from "../../contract/text/harmless.ts"

const form = "postgres://USER:PASSWORD@HOST:PORT/DATABASE"
const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
/** Never quotes the URL. */
const invalid = (problem: string) => Result.fail(new InvalidParams({ option: "url", problem }))

const partsOf = (url: URL) => {
  const host = decodeURIComponent(url.searchParams.get("host") ?? url.hostname).replace(/^\[(.*)\]$/, "$1")
  const port = Number((url.searchParams.get("port") ?? url.port) || "5432")
  const user = decodeURIComponent(url.searchParams.get("user") ?? url.username)
  const database = decodeURIComponent(url.searchParams.get("dbname") ?? url.pathname.slice(1))
  decodeURIComponent(url.password)
  return { host: host === "" ? "localhost" : host, port, database: database === "" ? user : database }
}

export interface ServerAddress {
  /** A name, or the directory of a socket. */
  readonly host: string
  readonly port: number
}

export interface PostgresAddress extends ServerAddress {
  /** For people: the host, port and database. */
  readonly place: string
}

export const addressOf = (text: string): Result.Result<PostgresAddress, InvalidParams> => {
  const url = URL.parse(text)
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol)) return invalid(`is not of the form ${form}`)
  const sslMode = url.searchParams.get("sslmode")
  if (sslMode !== null && !sslModes.includes(sslMode)) return invalid(`sslmode is not one of ${sslModes.join(", ")}`)
  try {
    const { host, port, database } = partsOf(url)
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return invalid("the port is not a number from 1 to 65535")
    return Result.succeed({ host, port, place: harmless(`${host}:${port}/${database}`).slice(0, 300) })
  } catch {
    return invalid("has a % that is not followed by two hexadecimal digits")
  }
}

const silent = new StoreError({ reason: new StoreUnavailable({ problem: "the database did not answer for 30 s" }) })

/** Sockets of our own: the driver would wait for ever for a server that is stopped or out of reach. */
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
  /** Closes all connections after 30 s: pending statements fail, and the next work opens new ones. */
  const answered = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreError, R> =>
    Effect.raceFirst(work, Effect.andThen(Effect.andThen(Effect.sleep("30 seconds"), cut), Effect.fail(silent)))
  return { open, answered }
}
