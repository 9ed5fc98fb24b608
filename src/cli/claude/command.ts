/** Params → arguments, stdin and files of one run of `claude -p`, or of a live session (2.1.328); pure. */
import { Result } from "effect"
import { CommandLineTooLong, type FailureReason } from "../../contract/AgentError.ts"
import { base64Of, type LoadedAttachment, textOf } from "../../contract/Attachment.ts"
import type { Cli } from "../Cli.ts"
import { flag, invalid, longestArgumentPrompt, value } from "../commandLine.ts"
import type { Live, TurnInput } from "../Live.ts"
import { argumentsOf, filesOf, problemOf } from "./command/arguments.ts"
import { flags } from "./command/flags.ts"

/** The CLI refuses more than 10 MB on stdin. */
const largestPromptBytes = 10_000_000

export const promptProblem = (prompt: string): FailureReason | undefined => {
  if (prompt.trim() === "") return invalid("prompt", "is empty")
  const bytes = Buffer.byteLength(prompt)
  if (bytes <= largestPromptBytes) return undefined
  return new CommandLineTooLong({ option: "prompt", bytes, limitBytes: largestPromptBytes })
}

/** A leading `/` would run a command of the CLI; behind a blank it is text. */
export const disarmed = (prompt: string, slashCommands: boolean | undefined) =>
  prompt.startsWith("/") && slashCommands !== true ? ` ${prompt}` : prompt

/** A block of the Messages API. */
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

/** The content of a message on stdin. Attachments come before the text, as the API recommends. */
export const contentOf = (text: string, { attachments = [] }: TurnInput = {}): string | ReadonlyArray<unknown> =>
  attachments.length === 0 ? text : [...attachments.map(blockOf), { type: "text", text }]

/** One line, then the end of stdin. */
const jsonInput = value("attachments", flags.inputFormat[0], "stream-json")

export const plan: Cli["plan"] = (params, options, { privateDirectory, attachments = [] }) => {
  const problem = promptProblem(params.prompt) ?? problemOf(params)
  if (problem !== undefined) return Result.fail(problem)
  const prompt = disarmed(params.prompt, params.slashCommands)
  const hasBlocks = attachments.length > 0
  const asArgument = !hasBlocks && options.promptVia === "argument" && prompt.length <= longestArgumentPrompt
  const message = { type: "user", message: { role: "user", content: contentOf(prompt, { attachments }) } }
  const onStdin = hasBlocks ? `${JSON.stringify(message)}\n` : prompt
  const args = [
    ...argumentsOf(params, privateDirectory, hasBlocks ? jsonInput : []),
    ...(asArgument ? flag("prompt", flags.endOfFlags[0], prompt) : [])
  ]
  return Result.succeed({ args, files: filesOf(params), stdin: asArgument ? "" : onStdin, env: {} })
}

/** The prompt tool `stdio` exists only together with this input: without it, it is taken for the name of a tool. */
const liveInput = [
  ...value("live", flags.inputFormat[0], "stream-json"),
  ...value("live", flags.permissionPrompts[0], "stdio")
]

/** Prompts and answers are lines on a stdin that stays open. */
export const livePlan: Live["plan"] = (params, _options, { privateDirectory }) => {
  const problem = problemOf(params)
  if (problem !== undefined) return Result.fail(problem)
  return Result.succeed({ args: argumentsOf(params, privateDirectory, liveInput), files: filesOf(params), env: {} })
}
