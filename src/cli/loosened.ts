/** The refusal of an argument of the caller's that would loosen what an agent may do. */
import { InvalidParams } from "../AgentError.ts"

/** `argument` without its value, which may be a secret. */
export const loosened = (option: "extraArgs" | "baseArgs", argument: string): InvalidParams =>
  new InvalidParams({ option, problem: `${argument} changes what the agent may do unasked: use permissionMode` })

/**
 * Of the arguments in front of all others, those that are the CLI's own: behind the last that names its program, where
 * a wrapper such as `npx -y` has some of its own before it.
 */
export const argumentsOfProgram = (program: string, baseArgs: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = (argument: string) => !argument.startsWith("-") && argument.includes(program)
  return baseArgs.slice(baseArgs.findLastIndex(names) + 1)
}
