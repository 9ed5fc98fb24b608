/** Checks that arguments and environment fit on a command line, and names the option that does not; pure. */
import { Result } from "effect"
import { CommandLineTooLong, type FailureReason, InvalidParams } from "../../contract/AgentError.ts"
import type { Argument } from "../../contract/Plan.ts"

/** Linux refuses a single argument or variable from 128 KiB on, including the closing NUL (MAX_ARG_STRLEN). */
export const longestArgumentBytes = 128 * 1024 - 1

const problemOf = (option: string, text: string): FailureReason | undefined => {
  if (text.includes("\0")) return new InvalidParams({ option, problem: "contains a NUL character" })
  const bytes = Buffer.byteLength(text)
  if (bytes <= longestArgumentBytes) return undefined
  return new CommandLineTooLong({ option, bytes, limitBytes: longestArgumentBytes })
}

export const checkCommandLine = (
  args: ReadonlyArray<Argument>,
  env: Readonly<Record<string, string>>
): Result.Result<void, FailureReason> => {
  for (const { option, text } of args) {
    const problem = problemOf(option, text)
    if (problem !== undefined) return Result.fail(problem)
  }
  for (const [name, value] of Object.entries(env)) {
    const problem = problemOf(`env ${JSON.stringify(name)}`, `${name}=${value}`)
    if (problem !== undefined) return Result.fail(problem)
  }
  return Result.void
}
