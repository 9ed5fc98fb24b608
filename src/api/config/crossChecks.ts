/** Mistakes that no key of `reins.toml` shows alone; pure. */
import { Predicate } from "effect"
import { hintFor } from "../../contract/suggestions.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { isLoopback } from "../../system/loopback.ts"
import { type Path, pathText, valueAt } from "./edit.ts"

type Values = Readonly<Record<string, unknown>>

export interface Found {
  readonly path: Path
  readonly problem: string
}

export const isTable = (value: unknown): value is Values =>
  Predicate.isObject(value) && !Array.isArray(value) && !(value instanceof Date)

/** The text of a key, which may be anything. */
export const keyText = (path: Path): string => {
  const text = harmless(pathText(path)).replaceAll("\n", "\\n")
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}

/** A page for other machines needs a decision, and TLS. */
const problemsOfWeb = (values: Values): ReadonlyArray<Found> => {
  const at = (...path: ReadonlyArray<string>) => valueAt(values, ["web", ...path])
  const found = (name: string, problem: string) => [
    { path: ["web", ...name.split(".")], problem: `web.${name} ${problem}` }
  ]
  const [host, isRemote] = [at("host"), at("allowRemote") === true]
  const [cert, key] = [at("tls", "cert"), at("tls", "key")]
  if ((cert === undefined) !== (key === undefined)) return found("tls", "needs both cert and key")
  if (isRemote && cert === undefined)
    return found("allowRemote", "needs web.tls: without it, anyone on the network path can read the key of the page")
  const hosts = at("hosts")
  if (isRemote && (!Array.isArray(hosts) || hosts.length === 0))
    return found("allowRemote", 'needs web.hosts: the names by which the page is reached, such as ["agents.example"]')
  if (Predicate.isString(host) && !isLoopback(host) && !isRemote)
    return found("host", "lets other machines in: add allowRemote = true, with web.tls, or use 127.0.0.1")
  return []
}

/** A token has one place; directories of chats are named. */
const problemsOfChats = (values: Values): ReadonlyArray<Found> => {
  const telegram = valueAt(values, ["telegram"])
  const token = valueAt(values, ["telegram", "token"])
  const chats = valueAt(values, ["chats"])
  const directories = valueAt(values, ["directories"])
  const names = isTable(directories) ? Object.keys(directories) : []
  const at = ["telegram", "token"]
  return [
    ...(telegram !== undefined && token === undefined
      ? [{ path: ["telegram"], problem: 'telegram has no token: write token = { env = "TELEGRAM_BOT_TOKEN" }' }]
      : []),
    ...(isTable(token) && Object.keys(token).length !== 1
      ? [{ path: at, problem: "telegram.token has both env and file, or none of them; keep one" }]
      : []),
    ...Object.entries(isTable(chats) ? chats : {}).flatMap(([id, chat]) => {
      const directory = isTable(chat) ? chat["directory"] : undefined
      if (!Predicate.isString(directory) || names.includes(directory)) return []
      const hint = hintFor(directory, names) || "; add its table, with its path"
      const path = ["chats", id, "directory"]
      const name = JSON.stringify(keyText([directory]))
      return [{ path, problem: `${keyText(path)} ${name} has no table [directories.NAME]${hint}` }]
    })
  ]
}

/** Secrets in a file that others can read. */
export const readableSecrets = (file: string, values: Values): ReadonlyArray<Found> =>
  Predicate.isString(valueAt(values, ["telegram", "token"]))
    ? [
        {
          path: ["telegram", "token"],
          problem: `telegram.token stands in a file that others can read: chmod 600 ${JSON.stringify(file)}`
        }
      ]
    : []

/** Mistakes that no key shows alone. */
export const crossChecks = (values: Values): ReadonlyArray<Found> => {
  const directories = valueAt(values, ["directories"])
  const names = isTable(directories) ? Object.keys(directories) : []
  const lost = names.flatMap((name) =>
    valueAt(values, ["directories", name, "path"]) === undefined
      ? [{ path: ["directories", name], problem: `directories.${keyText([name])} has no path` }]
      : []
  )
  const directory = valueAt(values, ["directory"])
  const isMissing = Predicate.isString(directory) && !names.includes(directory)
  const hint = isMissing ? hintFor(directory, names) || "; add its table, with its path" : ""
  const database = valueAt(values, ["store", "database"])
  return [
    ...lost,
    ...(isMissing
      ? [
          {
            path: ["directory"],
            problem: `directory ${JSON.stringify(keyText([directory]))} has no table [directories.NAME]${hint}`
          }
        ]
      : []),
    ...(isTable(database) && Object.keys(database).length !== 1
      ? [{ path: ["store", "database"], problem: "store.database has both env and file, or none of them; keep one" }]
      : []),
    ...problemsOfWeb(values),
    ...problemsOfChats(values),
    ...(database !== undefined && valueAt(values, ["store", "directory"]) !== undefined
      ? [
          {
            path: ["store", "directory"],
            problem: "store.directory has no effect beside store.database; remove one of them"
          }
        ]
      : [])
  ]
}
