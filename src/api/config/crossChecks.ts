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

export const problemIf = (isWrong: boolean, path: Path, problem: string): ReadonlyArray<Found> =>
  isWrong ? [{ path, problem }] : []

export const namesIn = (table: unknown) => (isTable(table) ? Object.keys(table) : [])

/** A token or URL has exactly one place. */
export const problemOfPlace = (values: Values, path: Path) => {
  const place = valueAt(values, path)
  const isWrong = isTable(place) && Object.keys(place).length !== 1
  return problemIf(isWrong, path, `${keyText(path)} has both env and file, or none of them; keep one`)
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

export const problemOfDirectory = (
  path: Path,
  directory: unknown,
  names: ReadonlyArray<string>
): ReadonlyArray<Found> => {
  if (!Predicate.isString(directory) || names.includes(directory)) return []
  const hint = hintFor(directory, names) || "; add its table, with its path"
  const name = JSON.stringify(keyText([directory]))
  return [{ path, problem: `${keyText(path)} ${name} has no table [directories.NAME]${hint}` }]
}

const problemsOfChannel = (values: Values, { id, secrets, keys = [] }: ChannelKind): ReadonlyArray<Found> => {
  const at = (key: string) => valueAt(values, [id, key])
  if (valueAt(values, [id]) === undefined) return []
  const needed = [
    ...secrets.map(({ key, variable }) => ({ key, output: `{ env = "${variable}" }` })),
    ...keys.flatMap(({ name, example }) =>
      example === undefined ? [] : [{ key: name, output: JSON.stringify(example) }]
    )
  ]
  return [
    ...needed.flatMap(({ key, output }) =>
      problemIf(at(key) === undefined, [id], `${id} has no ${key}: write ${key} = ${output}`)
    ),
    ...secrets.flatMap(({ key }) => problemOfPlace(values, [id, key]))
  ]
}

const problemsOfChats = (values: Values, names: ReadonlyArray<string>): ReadonlyArray<Found> =>
  namesIn(valueAt(values, ["chats"])).flatMap((id) => {
    const path = ["chats", id, "directory"]
    return problemOfDirectory(path, valueAt(values, path), names)
  })

/** A target is a chat of a channel. */
const problemsOfTarget = (values: Values, path: Path, served: ReadonlyArray<ChannelKind>): ReadonlyArray<Found> => {
  const [chat, named] = [valueAt(values, [...path, "chat"]), valueAt(values, [...path, "channel"])]
  const name = keyText(path)
  if (chat === undefined) return [{ path, problem: `${name} has no chat: write its id, which /whoami shows there` }]
  if (named === undefined && served.length > 1)
    return [{ path, problem: `${name} has no channel: write one of ${served.map(({ id }) => `"${id}"`).join(", ")}` }]
  const channel = named === undefined ? served[0] : served.find(({ id }) => id === named)
  if (channel === undefined)
    return [{ path: [...path, "channel"], problem: `${name}.channel has no table [${String(named)}]` }]
  const problem = `${name}.chat is not the id of a chat on ${channel.name}, such as ${channel.chat.example}`
  return problemIf(!channel.chat.isRight(String(chat)), [...path, "chat"], problem)
}

const problemsOfTargets = (values: Values): ReadonlyArray<Found> => {
  const path = ["gateway", "targets"]
  const targets = namesIn(valueAt(values, path))
  const served = channels.filter(({ id }) => valueAt(values, [id]) !== undefined)
  return targets.length > 0 && served.length === 0
    ? [{ path, problem: `gateway.targets needs ${tablesOfChannels}: targets are chats of its bot` }]
    : targets.flatMap((name) => problemsOfTarget(values, [...path, name], served))
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
      valueAt(values, ["transcribe"]) !== undefined && namesIn(valueAt(values, ["transcribe", "command"])).length === 0,
      ["transcribe"],
      'transcribe has no command: write command = ["whisper-cli", "--no-prints"], as the program needs it'
    ),
    ...problemIf(
      database !== undefined && folder !== undefined,
      ["store", "directory"],
      "store.directory has no effect beside store.database; remove one of them"
    )
  ]
}
