/** Checks of keys of `reins.toml` that depend on each other; pure. */
import { Predicate } from "effect"
import { hintFor } from "../../contract/suggestions.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { isLoopback } from "../../system/loopback.ts"
import { type ChannelKind, channels, tablesOfChannels } from "./channels.ts"
import { isTable, type Path, pathText, type Values, valueAt } from "./edit.ts"

export interface Found {
  readonly path: Path
  readonly problem: string
}

/** The text of a key, which may contain anything. */
export const keyText = (path: Path): string => {
  const text = harmless(pathText(path)).replaceAll("\n", "\\n")
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}

const problemIf = (isWrong: boolean, path: Path, problem: string): ReadonlyArray<Found> =>
  isWrong ? [{ path, problem }] : []

const namesIn = (table: unknown) => (isTable(table) ? Object.keys(table) : [])

/** A token or URL has exactly one place. */
const problemOfPlace = (values: Values, path: Path) => {
  const place = valueAt(values, path)
  const isWrong = isTable(place) && Object.keys(place).length !== 1
  return problemIf(isWrong, path, `${path.join(".")} has both env and file, or none of them; keep one`)
}

/** A page for other machines needs `allowRemote`, and TLS. */
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

const problemOfDirectory = (path: Path, directory: unknown, names: ReadonlyArray<string>): ReadonlyArray<Found> => {
  if (!Predicate.isString(directory) || names.includes(directory)) return []
  const hint = hintFor(directory, names) || "; add its table, with its path"
  const name = JSON.stringify(keyText([directory]))
  return [{ path, problem: `${keyText(path)} ${name} has no table [directories.NAME]${hint}` }]
}

const problemsOfChannel = (values: Values, { id, secrets }: ChannelKind): ReadonlyArray<Found> =>
  valueAt(values, [id]) === undefined
    ? []
    : secrets.flatMap(({ key, variable }) => {
        const path = [id, key]
        const problem = `${id} has no ${key}: write ${key} = { env = "${variable}" }`
        return [...problemIf(valueAt(values, path) === undefined, [id], problem), ...problemOfPlace(values, path)]
      })

const problemsOfChats = (values: Values, names: ReadonlyArray<string>): ReadonlyArray<Found> =>
  namesIn(valueAt(values, ["chats"])).flatMap((id) => {
    const path = ["chats", id, "directory"]
    return problemOfDirectory(path, valueAt(values, path), names)
  })

/** A target is a chat of a channel. */
const problemsOfTargets = (values: Values): ReadonlyArray<Found> => {
  const path = ["gateway", "targets"]
  const targets = namesIn(valueAt(values, path))
  const hasNone = targets.length > 0 && channels.every(({ id }) => valueAt(values, [id]) === undefined)
  return [
    ...problemIf(hasNone, path, `gateway.targets needs ${tablesOfChannels}: targets are chats of its bot`),
    ...targets.flatMap((name) => {
      const own = [...path, name]
      const hasNoChat = valueAt(values, [...own, "chat"]) === undefined
      return problemIf(hasNoChat, own, `${keyText(own)} has no chat: write its id, which /whoami shows there`)
    })
  ]
}

export const readableSecrets = (file: string, values: Values): ReadonlyArray<Found> =>
  channels.flatMap(({ id, secrets }) =>
    secrets.flatMap(({ key }) => {
      const path = [id, key]
      const problem = `${id}.${key} stands in a file that others can read: chmod 600 ${JSON.stringify(file)}`
      return problemIf(Predicate.isString(valueAt(values, path)), path, problem)
    })
  )

export const crossChecks = (values: Values): ReadonlyArray<Found> => {
  const names = namesIn(valueAt(values, ["directories"]))
  const [database, folder] = [valueAt(values, ["store", "database"]), valueAt(values, ["store", "directory"])]
  return [
    ...names.flatMap((name) => {
      const hasNoPath = valueAt(values, ["directories", name, "path"]) === undefined
      return problemIf(hasNoPath, ["directories", name], `directories.${keyText([name])} has no path`)
    }),
    ...problemOfDirectory(["directory"], valueAt(values, ["directory"]), names),
    ...problemOfPlace(values, ["store", "database"]),
    ...problemsOfWeb(values),
    ...channels.flatMap((channel) => problemsOfChannel(values, channel)),
    ...problemsOfChats(values, names),
    ...problemsOfTargets(values),
    ...problemIf(
      database !== undefined && folder !== undefined,
      ["store", "directory"],
      "store.directory has no effect beside store.database; remove one of them"
    )
  ]
}
