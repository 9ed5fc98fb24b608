/**
 * The flags of Codex (0.169.0) and the keys of its `-c` that Reins sets or that loosen what the agent may do. The flags
 * of `exec`, but for `-c` itself, are in this table alone, for runs and for the check of the caller's own arguments; `app-server` has a few keys
 * of its own (`live/command.ts`).
 */

/** Flags that Reins sets, or that would contradict it: the name that it uses, then the aliases that Codex takes. */
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

/** The last two contradict others of the list in other words. Any other key is free for the caller. */
export const managedKeys: ReadonlySet<string> = new Set([...Object.values(keys), "analytics", "model"])

/** Set by the dialogue of a live session in addition. */
export const managedLive: ReadonlySet<string> = new Set(["--listen", "instructions"])

/**
 * With these, Codex would do more than its sandbox and its approvals allow; a profile is a file that may contain them.
 */
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

export const workspaceWrite = "sandbox_workspace_write"

/** The network of the sandbox has no option of ours and is the caller's to open; no other field of it is. */
const openField = `${workspaceWrite}.network_access`

export const isLooseKey = (key: string): boolean => {
  const [table = ""] = key.split(".", 1)
  return looseKeys.has(table) || (table === workspaceWrite && key !== openField)
}
