/**
 * Arguments as they were given → the same with agents named as the parser knows them: `--agent " CLAUDE"` is
 * `--agent claude`. A name of no agent stays as it is, for the parser to refuse. Pure.
 */
import { agentNames } from "./chosenAgent.ts"

const named = (given: string): string => agentNames.find((name) => name === given.trim().toLowerCase()) ?? given

const flag = /^(?:--agent|-a)(=|$)/

export const agentArguments = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.indexOf("--")
  return args.map((argument, place) => {
    if (end !== -1 && place > end) return argument
    if (flag.exec(args[place - 1] ?? "")?.[1] === "") return named(argument)
    const [before = "", equals] = flag.exec(argument) ?? []
    return equals === "=" ? before + named(argument.slice(before.length)) : argument
  })
}
