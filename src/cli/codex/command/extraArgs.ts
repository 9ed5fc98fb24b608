/** The caller's own arguments that contradict those of Reins, or loosen what Codex may do; pure (0.169.0). */
import { firstOf } from "../../jsonFields.ts"
import { isLooseKey, keys, looseFlags, managedFlags, managedKeys } from "./flags.ts"

interface Flag {
  readonly name: string
  /** After `=`, or directly after a short name: `-mgpt-5.5`. */
  readonly value: string | undefined
}

const flagOf = (argument: string): Flag => {
  const isShort = /^-[^-]/.test(argument)
  const equals = argument.indexOf("=")
  if (isShort && argument.length > 2) return { name: argument.slice(0, 2), value: argument.slice(2).replace(/^=/, "") }
  if (equals === -1) return { name: argument, value: undefined }
  return { name: argument.slice(0, equals), value: argument.slice(equals + 1) }
}

/** The key that `-c` sets with this argument; undefined for another flag. */
const keyOf = (args: ReadonlyArray<string>, place: number): string | undefined => {
  const { name, value } = flagOf(args[place] ?? "")
  if (name !== "-c" && name !== "--config") return undefined
  return (value ?? args[place + 1] ?? "").split("=", 1)[0]?.replace(/["'\s]/g, "") ?? ""
}

/** The first argument that loosens permissions, without its value. */
export const looseArgument = (args: ReadonlyArray<string>): string | undefined => {
  const found = args.map((argument, place) => {
    const { name } = flagOf(argument)
    const key = keyOf(args, place)
    if (key === undefined) return looseFlags.has(name) ? name : undefined
    return isLooseKey(key) ? `${name} ${key}` : undefined
  })
  return firstOf(found)
}

const serverKey = new RegExp(`^${keys.mcpServers}\\s*\\.\\s*["']?([\\w-]+)`)

/** The first argument that an option sets already, without its value. `more`: further flags and keys that are set. */
export const contradiction = (
  extraArgs: ReadonlyArray<string>,
  servers: ReadonlyArray<string>,
  more: ReadonlySet<string> = new Set()
): string | undefined => {
  const found = extraArgs.map((argument, index) => {
    const { name } = flagOf(argument)
    if (managedFlags.has(name) || more.has(name)) return name
    const key = keyOf(extraArgs, index)
    if (key === undefined) return undefined
    const server = serverKey.exec(key)?.[1]
    const isOurs = managedKeys.has(key) || more.has(key) || (server !== undefined && servers.includes(server))
    return isOurs ? `${name} ${key}` : undefined
  })
  return firstOf(found)
}
