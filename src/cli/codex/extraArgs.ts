/** Which of the caller's own arguments for `codex exec` says what this side says itself; pure (0.169.0). */

const managedFlags: ReadonlySet<string> = new Set([
  "-",
  "--",
  "--json",
  "--experimental-json",
  "--skip-git-repo-check",
  "-m",
  "--model",
  "-s",
  "--sandbox",
  "--dangerously-bypass-approvals-and-sandbox",
  "--yolo",
  "--output-schema",
  "--add-dir",
  "-C",
  "--cd"
])

/** Keys of `-c`; any other is the caller's to set. */
const managedKeys: ReadonlySet<string> = new Set([
  "analytics",
  "analytics.enabled",
  "model",
  "model_reasoning_effort",
  "sandbox_mode",
  "model_instructions_file",
  "developer_instructions",
  "mcp_servers"
])

interface Flag {
  readonly name: string
  /** Behind `=`, or at once behind a short name: `-mgpt-5.5`. */
  readonly value: string | undefined
}

const flagOf = (argument: string): Flag => {
  const isShort = /^-[^-]/.test(argument)
  const equals = argument.indexOf("=")
  if (isShort && argument.length > 2) return { name: argument.slice(0, 2), value: argument.slice(2).replace(/^=/, "") }
  if (equals === -1) return { name: argument, value: undefined }
  return { name: argument.slice(0, equals), value: argument.slice(equals + 1) }
}

/** The first of them, as it may be named in a message: without its value. MCP servers of other names are no conflict. */
export const contradiction = (
  extraArgs: ReadonlyArray<string>,
  servers: ReadonlyArray<string>,
  more: ReadonlySet<string> = new Set()
): string | undefined => {
  const isManaged = (key: string) => {
    const [, server] = /^mcp_servers\s*\.\s*["']?([\w-]+)/.exec(key) ?? []
    return managedKeys.has(key) || more.has(key) || (server !== undefined && servers.includes(server))
  }
  const found = extraArgs.map((argument, index) => {
    const { name, value } = flagOf(argument)
    if (managedFlags.has(name) || more.has(name)) return name
    if (name !== "-c" && name !== "--config") return undefined
    const key = (value ?? extraArgs[index + 1] ?? "").split("=", 1)[0]?.trim() ?? ""
    return isManaged(key) ? `${name} ${key}` : undefined
  })
  return found.find((name) => name !== undefined)
}
