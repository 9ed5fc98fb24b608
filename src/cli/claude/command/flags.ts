/** The flags of Claude Code (2.1.328) that Reins sets or that loosen what the agent may do; pure. */
/** Flags that Reins sets: the name that it uses, then aliases and flags that contradict it. */
export const flags = {
  endOfFlags: ["--"],
  print: ["-p", "--print"],
  outputFormat: ["--output-format"],
  inputFormat: ["--input-format", "--replay-user-messages"],
  verbose: ["--verbose"],
  partialMessages: ["--include-partial-messages"],
  permissionPrompts: ["--permission-prompt-tool"],
  model: ["--model"],
  fallbackModel: ["--fallback-model"],
  effort: ["--effort"],
  permissionMode: ["--permission-mode"],
  allowedTools: ["--allowedTools", "--allowed-tools"],
  disallowedTools: ["--disallowedTools", "--disallowed-tools"],
  systemPrompt: ["--system-prompt-file", "--system-prompt"],
  appendSystemPrompt: ["--append-system-prompt-file", "--append-system-prompt"],
  maxTurns: ["--max-turns"],
  maxBudgetUsd: ["--max-budget-usd"],
  outputSchema: ["--json-schema"],
  additionalDirectories: ["--add-dir"],
  sessionId: ["--resume", "-r", "--continue", "-c"],
  forkSession: ["--fork-session"],
  newSessionId: ["--session-id"],
  ephemeral: ["--no-session-persistence"],
  mcpServers: ["--mcp-config"],
  strictMcpServers: ["--strict-mcp-config"],
  settingSources: ["--setting-sources"]
} as const

/** Without it, a hook that runs after the answer is silence (2.1.328). An application may set it, too. */
export const hookEvents = "--include-hook-events"

const managed: ReadonlySet<string> = new Set(Object.values(flags).flat())

/** Short flags can be combined (`-pc`) and carry a value (`-rID`); `--` is followed by a prompt. */
export const contradicts = (argument: string): boolean => {
  if (managed.has(argument.split("=", 1)[0] ?? "")) return true
  return /^-([prc]|[a-z]+$)/i.test(argument) && /^-[a-z]*[prc]/i.test(argument)
}

/** Two of them are undocumented. */
const loose: ReadonlySet<string> = new Set([
  ...flags.permissionMode,
  ...flags.permissionPrompts,
  ...flags.allowedTools,
  "--dangerously-skip-permissions",
  "--allow-dangerously-skip-permissions",
  "--inherit-permission-mode",
  "--enable-auto-mode",
  "--permission-prompts",
  "--managed-settings"
])

/** Settings may be JSON text. A file of settings is the user's own, and its mode is in the `session` event. */
const hasPermissions = (settings: string): boolean => {
  try {
    return Object.hasOwn(Object(JSON.parse(settings)), "permissions")
  } catch {
    return false
  }
}

/** The first loose argument, without its value. */
export const looseArgument = (args: ReadonlyArray<string>): string | undefined => {
  const found = args.findIndex((argument, place) => {
    const [name = ""] = argument.split("=", 1)
    if (loose.has(name)) return true
    if (name !== "--settings") return false
    return hasPermissions(name === argument ? (args[place + 1] ?? "") : argument.slice(name.length + 1))
  })
  return args[found]?.split("=", 1)[0]
}
