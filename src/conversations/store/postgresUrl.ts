/** The URL of a PostgreSQL server, checked before it is used, and what may be shown of it; pure. */
import { Result } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { harmless } from "../../contract/text/harmless.ts"

const form = "postgres://USER:PASSWORD@HOST:PORT/DATABASE"
const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

/** It tells nothing of the URL. */
const invalid = (problem: string) => Result.fail(new InvalidParams({ option: "url", problem }))

const partsOf = (url: URL) => {
  const host = decodeURIComponent(url.searchParams.get("host") ?? url.hostname).replace(/^\[(.*)\]$/, "$1")
  const port = Number((url.searchParams.get("port") ?? url.port) || "5432")
  const user = decodeURIComponent(url.searchParams.get("user") ?? url.username)
  const database = decodeURIComponent(url.searchParams.get("dbname") ?? url.pathname.slice(1))
  decodeURIComponent(url.password)
  return { host: host === "" ? "localhost" : host, port, database: database === "" ? user : database }
}

export interface PostgresAddress {
  /** A name, or the directory of a socket. */
  readonly host: string
  readonly port: number
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
