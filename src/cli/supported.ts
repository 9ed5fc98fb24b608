/** The options that a CLI takes, by the table of `contract`, and checks of the arguments of its command line; pure. */
import { Struct } from "effect"
import { InvalidParams } from "../contract/AgentError.ts"
import { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"
import { AgentOpenParams } from "../contract/AgentOpenParams.ts"
import { type AgentId, efforts, supports, takesOutputSchema } from "../contract/CliSupport.ts"

/** `argument` without its value, which may be a secret. */
export const loosened = (option: "extraArgs" | "baseArgs", argument: string): InvalidParams =>
  new InvalidParams({ option, problem: `${argument} changes what the agent may do unasked: use permissionMode` })

/** `loose`: the first argument that loosens; `contradicting`: the first that has an option; with or without its value. */
export const extraArgsProblem = (
  loose: string | undefined,
  contradicting: string | undefined
): InvalidParams | undefined => {
  if (loose !== undefined) return loosened("extraArgs", loose)
  if (contradicting === undefined) return undefined
  const [name] = contradicting.split("=", 1)
  return new InvalidParams({ option: "extraArgs", problem: `${name} is set by an option of its own` })
}

/**
 * The base arguments that belong to the CLI: all of them if the command is the CLI, else those after the first argument
 * that names it, since a wrapper such as `npx -y` has its own before it.
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

/** The refusal of an effort that the CLI has no word for. */
export const effortProblem = (id: keyof typeof efforts, effort: string | undefined): InvalidParams | undefined => {
  const known: ReadonlyArray<string> = efforts[id]
  if (effort === undefined || known.includes(effort)) return undefined
  const problem = `${JSON.stringify(effort.slice(0, 100))} is not one of ${known.join(", ")}`
  return new InvalidParams({ option: "effort", problem })
}

const takersOf: Readonly<Record<string, ReadonlyArray<string>>> = supports

/** Whether only some CLIs support an option. */
export const isOfSome = (option: string): boolean => Object.hasOwn(takersOf, option)

const has = (option: string, ...takers: ReadonlyArray<string>) =>
  takersOf[option]?.some((taker) => takers.includes(taker)) === true

/** With `outputSchema` where the CLI has an option of its own for it. */
export const inRuns = (id: AgentId): ReadonlySet<keyof AgentExecuteParams> =>
  new Set(
    Struct.keys(AgentExecuteParams.fields).filter((option) =>
      option === "outputSchema" ? takesOutputSchema.includes(id) : has(option, id, `${id} runs`)
    )
  )

export const inSessions = (id: AgentId): ReadonlySet<keyof AgentOpenParams> =>
  new Set(Struct.keys(AgentOpenParams.fields).filter((option) => has(option, id)))
