/**
 * The flags of Codex (0.169.0), and the keys and values of its `-c`, that Reins sets or that loosen what the agent may do. All
 * flags of `exec` but `-c` are here; `app-server` has a few more keys (`../command.ts`).
 */
/** Flags that Reins sets, or that would contradict it: the name that it uses, then the aliases. */
export const flags = {
  stdin: ["-"],
  endOfFlags: ["--"],
  json: ["--json", "--experimental-json"],
  skipGitCheck: ["--skip-git-repo-check"],
  ephemeral: ["--ephemeral"],
  model: ["--model", "-m"],
  sandbox: ["--sandbox", "-s"],
  bypass: ["--dangerously-bypass-approvals-and-sandbox", "--yolo"],
  outputSchema: ["--output-schema"],
  image: ["--image", "-i"],
  additionalDirectory: ["--add-dir"],
  workingDirectory: ["--cd", "-C"]
} as const

/** Keys of `-c` that Reins sets. */
export const keys = {
  analytics: "analytics.enabled",
  plugins: "features.plugins",
  endlessRetries: "features.unbounded_connection_retries",
  effort: "model_reasoning_effort",
  systemPrompt: "model_instructions_file",
  appendSystemPrompt: "developer_instructions",
  mcpServers: "mcp_servers"
} as const

export const managedFlags: ReadonlySet<string> = new Set(Object.values(flags).flat())

/** The last two contradict others under another name. Any other key is free for the caller. */
export const managedKeys: ReadonlySet<string> = new Set([...Object.values(keys), "analytics", "model"])

/** Also set by the dialogue of a live session. */
export const managedLive: ReadonlySet<string> = new Set(["--listen", "instructions"])

/** With these, Codex would do more than its sandbox and its approvals allow; a profile is a file that may contain them. */
export const looseFlags: ReadonlySet<string> = new Set([
  ...flags.sandbox,
  ...flags.bypass,
  "--ask-for-approval",
  "-a",
  "--approve-for-me",
  "--dangerously-bypass-hook-trust",
  "--full-auto",
  "--trust",
  "--ignore-rules",
  "--profile",
  "-p"
])

/** Keys of `-c`, with all keys below them. */
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

export const workspaceWrite = "sandbox_workspace_write"

/** The only field of the sandbox that a caller may open: no option sets it. */
const openField = `${workspaceWrite}.network_access`

export const isLooseKey = (key: string): boolean => {
  const [table = ""] = key.split(".", 1)
  return looseKeys.has(table) || (table === workspaceWrite && key !== openField)
}

// Values for `-c key=value`, which Codex reads as TOML; it takes anything else as a literal text.

/** JSON, but for half a surrogate pair and a bare DEL, which TOML does not know. */
export const tomlText = (value: string) => JSON.stringify(value.toWellFormed()).replaceAll("\u007f", "\\u007f")

export const tomlList = (values: ReadonlyArray<string>) => `[${values.map(tomlText).join(",")}]`

/** Values are TOML already, names are not. */
export const tomlTable = (values: Readonly<Record<string, string>>) => {
  const entries = Object.entries(values).map(([name, value]) => `${tomlText(name)}=${value}`)
  return `{${entries.join(",")}}`
}
