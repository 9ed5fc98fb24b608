/** Tool lists → a policy file (TOML) for Gemini CLI (0.61.0). Rules that it would silently ignore are refused. */
import { Result } from "effect"
import type { InvalidParams } from "../../../contract/AgentError.ts"
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import { invalid } from "../../commandLine.ts"

type ListName = "allowedTools" | "disallowedTools"
const shell = "run_shell_command"

/** The name of a tool, all tools of a server (`mcp_<server>_*`) or all; in parentheses the prefix of a shell command. */
const entry = /^([\w.-]+|\*|mcp_\*|mcp_[\w.-]+_\*)(?:\((.+)\))?$/s

const longestPrefix = 200

const problemOf = (text: string): string | undefined => {
  const [, name, prefix] = entry.exec(text) ?? []
  if (name === undefined) return "is not the name of a tool"
  if (name.startsWith("mcp__")) return "is not how this CLI names a tool of a server: mcp_<server>_<tool>"
  if (prefix === undefined) return undefined
  if (name !== shell) return `has a rule about arguments, which only ${shell} can have`
  if (prefix.endsWith("*")) return "ends in *, but is a prefix without it"
  if (!prefix.isWellFormed()) return "has half a character in its prefix (a lone surrogate)"
  return prefix.length > longestPrefix ? `has a prefix of more than ${longestPrefix} characters` : undefined
}

/** TOML's basic strings are those of JSON, but for DEL. */
const quote = (text: string) => JSON.stringify(text).replaceAll("\x7f", "\\u007f")

/** The rank of the CLI's own `--allowed-tools`, and one above all that a user can give. */
const priorities: Readonly<Record<ListName, number>> = { allowedTools: 300, disallowedTools: 999 }

const ruleOf = (list: ListName, text: string): string => {
  const [, name = "", prefix] = entry.exec(text) ?? []
  const allows = list === "allowedTools"
  return [
    "[[rule]]",
    `toolName = ${quote(name)}`,
    ...(prefix === undefined ? [] : [`commandPrefix = ${quote(prefix)}`]),
    `decision = "${allows ? "allow" : "deny"}"`,
    `priority = ${priorities[list]}`,
    // Else an allowed command may not write to a file.
    ...(allows && prefix === undefined ? ["allowRedirection = true"] : []),
    ""
  ].join("\n")
}

/** Undefined without any rule. */
export const policyOf = (
  params: Pick<AgentExecuteParams, ListName>
): Result.Result<string | undefined, InvalidParams> => {
  const rules: Array<string> = []
  for (const list of ["allowedTools", "disallowedTools"] as const) {
    for (const text of params[list] ?? []) {
      const problem = problemOf(text)
      if (problem !== undefined) return Result.fail(invalid(list, `${JSON.stringify(text)} ${problem}`))
      rules.push(ruleOf(list, text))
    }
  }
  return Result.succeed(rules.length === 0 ? undefined : rules.join("\n"))
}
