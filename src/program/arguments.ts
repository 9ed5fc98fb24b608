/** The command line before it is parsed: names of agents made uniform, and prompts that would be read as flags refused. */
import { Effect, Stdio } from "effect"
import { agentNames } from "./chosenAgent.ts"
import { refuse } from "./exit.ts"
import { switches } from "./flags.ts"

const normalized = (value: string): string => agentNames.find((name) => name === value.trim().toLowerCase()) ?? value
const agentFlag = /^(?:--agent|-a)(=|$)/

/** `--agent " CLAUDE"` becomes `--agent claude`. A name of no agent stays as it is, for the parser to refuse. */
export const agentArguments = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.indexOf("--")
  return args.map((argument, index) => {
    if (end !== -1 && index > end) return argument
    if (agentFlag.exec(args[index - 1] ?? "")?.[1] === "") return normalized(argument)
    const [before = "", equals] = agentFlag.exec(argument) ?? []
    return equals === "=" ? before + normalized(argument.slice(before.length)) : argument
  })
}

/** `reins chat --resume` at the end, or before another flag, asks for a list of sessions: an empty id. */
export const resumeArguments = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (args[0] !== "chat") return args
  const end = args.indexOf("--")
  return args.map((argument, index) => {
    const next = args[index + 1]
    const isFlag = argument === "--resume" && (end === -1 || index < end)
    return isFlag && (next === undefined || next.startsWith("-")) ? "--resume=" : argument
  })
}

/** `--timeout -5s` becomes `--timeout=-5s`: no flag is a number. */
export const numberArguments = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.includes("--") ? args.indexOf("--") : args.length
  const isNumber = (index: number) =>
    index > 0 && index < end && /^-[\d.]/.test(args[index] ?? "") && takesValue(args[index - 1])
  return args.flatMap((argument, index) => {
    if (isNumber(index)) return []
    return isNumber(index + 1) ? [`${argument}=${args[index + 1]}`] : [argument]
  })
}

/** `"-v what"` would be parsed as flags, one per letter; with an h among them it would print the help. */
const looksLikePrompt = (argument: string) => /^-[^-=]*\s/.test(argument)

const takesValue = (argument: string | undefined) =>
  argument !== undefined && /^--?[a-z][^=]*$/.test(argument) && !switches.some((name) => argument === `--${name}`)

/** Refuses a prompt that begins with `-` and does not come after `--`. */
export const checkArguments = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const args = yield* stdio.args
  const end = args.indexOf("--")
  const [command, ...before] = end === -1 ? args : args.slice(0, end)
  const takesPrompt = command === "run" || command === "demo" || command === "chat" || command === "compare"
  const prompt = before.find((argument, index) => looksLikePrompt(argument) && !takesValue(before[index - 1]))
  if (!takesPrompt || prompt === undefined) return
  return yield* refuse(command, [
    `a prompt that begins with - goes behind --: reins ${command} -- ${JSON.stringify(prompt)}`
  ])
})
