/** The arguments with which Claude Code (2.1.328) would do more than its permission mode and its rules allow; pure. */

/** Two of them are in no help text. */
const flags: ReadonlySet<string> = new Set([
  "--dangerously-skip-permissions",
  "--allow-dangerously-skip-permissions",
  "--permission-mode",
  "--inherit-permission-mode",
  "--enable-auto-mode",
  "--permission-prompts",
  "--permission-prompt-tool",
  "--allowedTools",
  "--allowed-tools",
  "--managed-settings"
])

/**
 * Settings may be JSON text. A file of settings is the user's own, and the mode it leads to is in the `session` event.
 */
const hasPermissions = (settings: string): boolean => {
  try {
    return Object.hasOwn(Object(JSON.parse(settings)), "permissions")
  } catch {
    return false
  }
}

/** The first of them, without its value. */
export const looseArgument = (args: ReadonlyArray<string>): string | undefined => {
  const found = args.findIndex((argument, place) => {
    const [name = ""] = argument.split("=", 1)
    if (flags.has(name)) return true
    if (name !== "--settings") return false
    return hasPermissions(name === argument ? (args[place + 1] ?? "") : argument.slice(name.length + 1))
  })
  return args[found]?.split("=", 1)[0]
}
