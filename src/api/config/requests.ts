/** What `approvals` of `reins.toml` names: a kind of request, `command(PATTERN)`, or all. Pure. */
import type { Match } from "../../contract/Rule.ts"

const kinds = ["command", "file_change", "read", "search", "web", "mcp", "subagent", "other"] as const

/** All requests. */
export const every = "*"

/** What can be named, as it is told. */
export const requestWords: ReadonlyArray<string> = [...kinds, "command(PATTERN)", every]

/** Undefined: it is no request. */
export const readRequest = (item: string): Match | undefined => {
  if (item === every) return {}
  const kind = kinds.find((each) => each === item)
  if (kind !== undefined) return { kinds: [kind] }
  const [, pattern = ""] = /^command\((.+)\)$/.exec(item) ?? []
  return pattern.trim() === "" ? undefined : { commands: [pattern.trim()] }
}
