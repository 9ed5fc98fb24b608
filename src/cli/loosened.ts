/** Refusals of the caller's own arguments: those that would loosen what an agent may do, or repeat an option. */
import { InvalidParams } from "../contract/AgentError.ts"

/** `argument` without its value, which may be a secret. */
export const loosened = (option: "extraArgs" | "baseArgs", argument: string): InvalidParams =>
  new InvalidParams({ option, problem: `${argument} changes what the agent may do unasked: use permissionMode` })

/** Of `extraArgs`: the first that loosens, and the first that an option of its own says; with or without its value. */
export const extraArgsProblem = (loose: string | undefined, said: string | undefined): InvalidParams | undefined => {
  if (loose !== undefined) return loosened("extraArgs", loose)
  if (said === undefined) return undefined
  return new InvalidParams({ option: "extraArgs", problem: `${said.split("=", 1)[0]} is set by an option of its own` })
}

/**
 * Of the arguments in front of all others, those that are the CLI's own: all of them where the command is the CLI, else
 * those behind the first that names it, where a wrapper such as `npx -y` has some of its own before it.
 */
export const argumentsOfProgram = (
  program: string,
  command: string,
  baseArgs: ReadonlyArray<string>
): ReadonlyArray<string> => {
  // `claude`, `claude-2.1`, `@anthropic-ai/claude-code`, `/opt/claude/cli.js`; not `/home/user/.claude`.
  const name = new RegExp(`(?:^|[/\\\\@])${program}(?![A-Za-z])`)
  if (name.test(command.split(/[/\\]/).at(-1) ?? "")) return baseArgs
  return baseArgs.slice(baseArgs.findIndex((argument) => !argument.startsWith("-") && name.test(argument)) + 1)
}
