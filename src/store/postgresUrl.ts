/** The URL of a PostgreSQL server, checked before it is used, and what may be shown of it; pure. */
import { Result } from "effect"
import { InvalidParams } from "../contract/AgentError.ts"
import { harmless } from "../text/harmless.ts"

const form = "postgres://USER:PASSWORD@HOST:PORT/DATABASE"
const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

/** It tells nothing of the URL. */
const invalid = (problem: string) => Result.fail(new InvalidParams({ option: "url", problem }))

const partsOf = (url: URL) => {
  const host = decodeURIComponent(url.searchParams.get("host") ?? url.hostname)
  const port = url.searchParams.get("port") ?? url.port
  const user = decodeURIComponent(url.searchParams.get("user") ?? url.username)
  const database = decodeURIComponent(url.searchParams.get("dbname") ?? url.pathname.slice(1))
  decodeURIComponent(url.password)
  return {
    host: host === "" ? "localhost" : host,
    port: port === "" ? "5432" : port,
    database: database === "" ? user : database
  }
}

/** The host, port and database. */
export const placeOf = (text: string): Result.Result<string, InvalidParams> => {
  const url = URL.parse(text)
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol)) return invalid(`is not of the form ${form}`)
  const sslMode = url.searchParams.get("sslmode")
  if (sslMode !== null && !sslModes.includes(sslMode)) return invalid(`sslmode is none of ${sslModes.join(", ")}`)
  try {
    const { host, port, database } = partsOf(url)
    return Result.succeed(harmless(`${host}:${port}/${database}`).slice(0, 300))
  } catch {
    return invalid("has a % that is not followed by two hexadecimal digits")
  }
}
