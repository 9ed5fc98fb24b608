/**
 * Which of the caller's own arguments for Codex says what this side says itself, or loosens what it may do; pure
 * (0.169.0).
 */

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
  "features.plugins",
  "features.unbounded_connection_retries",
  "model",
  "model_reasoning_effort",
  "sandbox_mode",
  "model_instructions_file",
  "developer_instructions",
  "mcp_servers"
])

/** With these, Codex would do more than its sandbox and its approvals allow. */
const looseFlags: ReadonlySet<string> = new Set([
  "-s",
  "--sandbox",
  "-a",
  "--ask-for-approval",
  "--approve-for-me",
  "--dangerously-bypass-approvals-and-sandbox",
  "--dangerously-bypass-hook-trust",
  "--yolo",
  "--full-auto",
  "--trust",
  "--ignore-rules"
])

/** The keys of `-c`, and all below them. */
const looseKeys: ReadonlySet<string> = new Set([
  "sandbox_mode",
  "sandbox_permissions",
  "sandbox",
  "approval_policy",
  "approvals_reviewer",
  "default_permissions",
  "permissions",
  "projects",
  "profile",
  "profiles"
])

/** What its own option says, in no permission mode; the network of the sandbox has none, and is the caller's to open. */
const looseFields = /^sandbox_workspace_write(\.(?!network_access$)|$)/

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

/** The key that `-c` sets with this argument; undefined where it is another flag. */
const keyOf = (args: ReadonlyArray<string>, place: number): string | undefined => {
  const { name, value } = flagOf(args[place] ?? "")
  if (name !== "-c" && name !== "--config") return undefined
  return (value ?? args[place + 1] ?? "").split("=", 1)[0]?.replace(/["'\s]/g, "") ?? ""
}

/** The first that loosens permissions, without its value. */
export const looseArgument = (args: ReadonlyArray<string>): string | undefined => {
  const found = args.map((argument, place) => {
    const { name } = flagOf(argument)
    const key = keyOf(args, place)
    if (key === undefined) return looseFlags.has(name) ? name : undefined
    return looseKeys.has(key.split(".", 1)[0] ?? "") || looseFields.test(key) ? `${name} ${key}` : undefined
  })
  return found.find((name) => name !== undefined)
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
    const { name } = flagOf(argument)
    if (managedFlags.has(name) || more.has(name)) return name
    const key = keyOf(extraArgs, index)
    return key !== undefined && isManaged(key) ? `${name} ${key}` : undefined
  })
  return found.find((name) => name !== undefined)
}
