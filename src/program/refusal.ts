/** Bad usage: the problem and its fix on stderr; nothing on stdout, and exit code 2. */
import { Console, Effect } from "effect"
import { badUsage, Ended } from "./exit.ts"
import { oneLine } from "./format.ts"

/** `command` is what stands behind `reins`; empty for the program itself. */
const refusalText = (command: string, problems: ReadonlyArray<string>): string => {
  const program = command === "" ? "reins" : `reins ${command}`
  return [...problems.map((problem) => `${program}: ${oneLine(problem)}`), `Help: ${program} --help`].join("\n")
}

export const printRefusal = (command: string, problems: ReadonlyArray<string>): Effect.Effect<void> =>
  Console.error(refusalText(command, problems))

export const refuse = (command: string, problems: ReadonlyArray<string>): Effect.Effect<never, Ended> =>
  Effect.andThen(printRefusal(command, problems), Effect.fail(new Ended({ exitCode: badUsage })))
