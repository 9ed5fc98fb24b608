/** What the parser of the command line would take for something else, refused with the cure. */
import { Console, Effect, Stdio } from "effect"
import { badUsage, Ended } from "./exit.ts"
import { switches } from "./flags.ts"

/** `"-v what"` would be read as flags, one a letter; help among them would end well. No flag has a blank in it. */
const looksLikePrompt = (argument: string) => /^-[^-=]*\s/.test(argument)

/** Whether what follows is its value. */
const takesValue = (argument: string | undefined) =>
  argument !== undefined && /^--?[a-z][^=]*$/.test(argument) && !switches.some((name) => argument === `--${name}`)

export const checkArguments = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const args = yield* stdio.args
  const end = args.indexOf("--")
  const [first, ...before] = end === -1 ? args : args.slice(0, end)
  const isRun = first === "run" || first === "demo" || first === "chat"
  const prompt = before.find((argument, index) => looksLikePrompt(argument) && !takesValue(before[index - 1]))
  if (!isRun || prompt === undefined) return
  yield* Console.error(
    `reins: a prompt that begins with - goes behind --: reins ${first} … -- ${JSON.stringify(prompt)}`
  )
  return yield* new Ended({ exitCode: badUsage })
})
