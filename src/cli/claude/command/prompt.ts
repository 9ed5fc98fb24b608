/** Rules for every text that Claude Code is sent to answer (2.1.328). */
import { CommandLineTooLong, type FailureReason, InvalidParams } from "../../../contract/AgentError.ts"

/** The CLI refuses more than 10 MB on stdin. */
const largestPromptBytes = 10_000_000

export const promptProblem = (prompt: string): FailureReason | undefined => {
  if (prompt.trim() === "") return new InvalidParams({ option: "prompt", problem: "is empty" })
  const bytes = Buffer.byteLength(prompt)
  if (bytes <= largestPromptBytes) return undefined
  return new CommandLineTooLong({ option: "prompt", bytes, limitBytes: largestPromptBytes })
}

/** A leading `/` would run a command of the CLI; behind a blank it is text. */
export const disarmed = (prompt: string, slashCommands: boolean | undefined) =>
  prompt.startsWith("/") && slashCommands !== true ? ` ${prompt}` : prompt
