/** Params → arguments, stdin and files of one run of `claude -p` (2.1.328); pure. */
import { Result } from "effect"
import { CommandLineTooLong, type FailureReason, InvalidParams } from "../../contract/AgentError.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import { base64Of, type LoadedAttachment, textOf } from "../../contract/Attachment.ts"
import type { Plan, PlanContext } from "../../contract/Plan.ts"
import type { TurnInput } from "../Live.ts"
import { argumentsOf, filesOf, flag, problemOf, value } from "./command/arguments.ts"
import { flags } from "./command/flags.ts"

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

// A text and its attachments → the content of a message on stdin, in the blocks of the Messages API (2.1.328); pure.

const blockOf = (attachment: LoadedAttachment) => {
  const { kind, mediaType, name } = attachment
  // The CLI puts the path of a copy behind each image; a document has its title alone.
  if (kind === "image") {
    return { type: "image", source: { type: "base64", media_type: mediaType, data: base64Of(attachment) } }
  }
  const source =
    kind === "text"
      ? { type: "text", media_type: "text/plain", data: textOf(attachment) }
      : { type: "base64", media_type: mediaType, data: base64Of(attachment) }
  return { type: "document", source, title: name }
}

/** Attachments come before the text, as the API recommends. */
export const contentOf = (text: string, { attachments = [] }: TurnInput = {}): string | ReadonlyArray<unknown> =>
  attachments.length === 0 ? text : [...attachments.map(blockOf), { type: "text", text }]

const longestArgumentPrompt = 10_000

/** One line, then the end of stdin. */
const jsonInput = value("attachments", flags.inputFormat[0], "stream-json")

export const plan = (
  params: AgentExecuteParams,
  options: AgentOptions,
  { privateDirectory, attachments = [] }: PlanContext
): Result.Result<Plan, FailureReason> => {
  const problem = promptProblem(params.prompt) ?? problemOf(params)
  if (problem !== undefined) return Result.fail(problem)
  const prompt = disarmed(params.prompt, params.slashCommands)
  const hasBlocks = attachments.length > 0
  const asArgument = !hasBlocks && options.promptVia === "argument" && prompt.length <= longestArgumentPrompt
  const message = { type: "user", message: { role: "user", content: contentOf(prompt, { attachments }) } }
  const onStdin = hasBlocks ? `${JSON.stringify(message)}\n` : prompt
  const args = [
    ...argumentsOf(params, privateDirectory, hasBlocks ? jsonInput : []),
    ...(asArgument ? [...flag("prompt", flags.endOfFlags[0]), ...flag("prompt", prompt)] : [])
  ]
  return Result.succeed({ args, files: filesOf(params), stdin: asArgument ? "" : onStdin, env: {} })
}
