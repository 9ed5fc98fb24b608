/** Names of options of the library in a text → the flags that set them; pure. */
import type { ErrorEvent } from "../contract/AgentEvent.ts"
import { runFlags } from "./flags.ts"

/** Where the flag is not the name with hyphens. */
const others: Readonly<Record<string, string>> = {
  workingDirectory: "cwd",
  additionalDirectories: "add-dir",
  sessionId: "resume",
  forkSession: "fork",
  newSessionId: "session-id",
  mcpServers: "mcp-config",
  strictMcpServers: "strict-mcp",
  trustWorkspace: "no-trust",
  extraArgs: "cli-arg",
  budgets: "budget",
  maxLineBytes: "max-line",
  "timeouts.total": "timeout",
  "timeouts.idle": "idle-timeout",
  "timeouts.tool": "tool-timeout",
  "timeouts.linger": "linger"
}

export const flagOf = (option: string): string | undefined => {
  const flag = Object.hasOwn(others, option) ? others[option] : undefined
  if (flag !== undefined) return `--${flag}`
  return Object.hasOwn(runFlags, option)
    ? `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    : undefined
}

/** Replaces names in backticks: `timeouts.idle` → `--idle-timeout`. A name in parentheses without a flag is removed. */
export const inFlags = (text: string): string =>
  text
    .replace(/ \(`([\w.]+)`\)/g, (_, option: string) => (flagOf(option) === undefined ? "" : ` (${flagOf(option)})`))
    .replace(/`([\w.]+): "([\w-]+)"`/g, (whole, option: string, value: string) => {
      const flag = flagOf(option)
      return flag === undefined ? whole : `${flag} ${value}`
    })
    .replace(/`([\w.]+)`/g, (whole, option: string) => flagOf(option) ?? whole)

/** A refusal of the library names its option first. */
export const problemInFlags = ({ message, code }: Pick<ErrorEvent, "message" | "code">): string => {
  const [, cli, unsupported = ""] = /^(\S+) does not support ([\w.]+)$/.exec(message) ?? []
  if (code === "unsupported_option" && cli !== undefined) {
    return `${flagOf(unsupported) ?? unsupported}: ${cli} has nothing of the kind`
  }
  const [, option = "", problem = ""] = /^([\w.]+): ([\s\S]*)$/.exec(message) ?? []
  const flag = flagOf(option)
  return inFlags(flag === undefined ? message : `${flag}: ${problem}`)
}
