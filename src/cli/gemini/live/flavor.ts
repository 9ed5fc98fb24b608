/**
 * How Gemini CLI (0.61.0) speaks the Agent Client Protocol. Its permission request is the only announcement of a call,
 * and a denied call gets no further update. Tokens come with the answer to a prompt.
 */

import { Option, Schema } from "effect"
import type { PermissionMode } from "../../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import type { PermissionAsk } from "../../../contract/Ask.ts"
import { base64Of, type LoadedAttachment, textOf } from "../../../contract/Attachment.ts"
import { firstLine } from "../../../contract/text/toolTitle.ts"
import { failureOf } from "../../acp/live/failures.ts"
import type { AcpCall, AcpFlavor, AcpRequest, AcpSession } from "../../acp/live/flavor.ts"
import { askForMode, askForModel } from "../../acp/live/sessionFacts.ts"
import { diffsOf, type PromptResult, textsOf } from "../../acp/wire.ts"
import type { RunReport } from "../../Decoder.ts"
import { failureOfStatus } from "../run/failures.ts"
import { describeTool } from "../run/tools.ts"

// A tool call in a live session of Gemini CLI (0.61.0) → name, kind, title and input. The CLI gives neither name nor
// input: the name is the beginning of the call's id, and the input is limited to its title and content.

type Call = Pick<AcpCall, "toolId" | "title" | "content" | "paths">

/** `read_file__read_file_1795198819935_0`, or with an id that the model's server gave: `read_file__x1`. */
const madeId = /^(.+)__\1_\d+_\d+$/

export const toolNameOf = (toolId: string): string => {
  const made = madeId.exec(toolId)?.[1]
  if (made !== undefined) return made
  const end = toolId.lastIndexOf("__")
  return end > 0 ? toolId.slice(0, end) : toolId
}

const shell = "run_shell_command"

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** As much as is known. */
const inputOf = ({ toolId, title, content, paths }: Call): unknown => {
  const name = toolNameOf(toolId)
  if (name === shell) return title === undefined ? {} : { command: title }
  if (name.startsWith("mcp_")) return Option.getOrElse(decodeJson(textsOf(content)[0] ?? ""), () => ({}))
  const [diff] = diffsOf(content)
  const path = diff?.path ?? paths[0]
  if (path === undefined) return {}
  return { file_path: path, ...(name === "write_file" && diff?.newText != null ? { content: diff.newText } : {}) }
}

export const describeCall = (call: Call, servers: ReadonlyArray<string>) => {
  const toolName = toolNameOf(call.toolId)
  const input = inputOf(call)
  const { kind, title } = describeTool(toolName, input, servers)
  const isTelling = title !== toolName || call.title === undefined
  return { toolName, kind, title: isTelling ? title : firstLine(call.title), input }
}

/** Where a command runs: in the working directory, unless the call names another. */
const place = /^\[(?:in|current working directory) (.+?)\] /s

/** The title is the whole command; the content has its directory and its purpose, in one text. */
const askOfCommand = (title: string, content: Call["content"]): Partial<PermissionAsk> => {
  const description = textsOf(content).join("\n")
  const found = place.exec(`${description} `)
  const directory = found?.[1]
  return {
    command: title,
    input: { command: title, ...(description === "" ? {} : { description }) },
    ...(directory === undefined ? {} : { directory }),
    rest: description === "" ? {} : { description }
  }
}

/** The CLI cuts long titles: 100 characters of what `web_fetch` is to do. */
const isCut = /(?:\.\.\.|…)["')]*$/

/** The permission request of a call. For some tools the title alone describes the call: then it is the input. */
export const askOfCall = ({ toolId, title, content, paths }: Call): Partial<PermissionAsk> => {
  const name = toolNameOf(toolId)
  if (name === shell && title !== undefined) return askOfCommand(title, content)
  if (name === "exit_plan_mode") return { isIncomplete: true, rest: {} }
  // Approvers of plans are asked when plan mode is left, not when it is entered.
  const kind = name === "enter_plan_mode" ? ({ kind: "other" } as const) : {}
  const diffs = diffsOf(content)
  if (diffs.length > 0) return { ...kind, rest: {} }
  const isTool = name.startsWith("mcp_") || paths.length > 0
  if (isTool || title === undefined || title.trim() === "" || title === name) return kind
  const input = { description: title, ...(content.length === 0 ? {} : { content }) }
  return { ...kind, input, ...(isCut.test(title) ? { isIncomplete: true } : {}) }
}

// Tokens in the answer to a prompt (Gemini CLI 0.61.0): those of all requests of the turn, by model. Cached ones are
// part of the input and not separated; thoughts are not reported.

const Counts = Schema.Struct({ input_tokens: Schema.Finite, output_tokens: Schema.Finite })

const Meta = Schema.Struct({
  quota: Schema.Struct({
    token_count: Counts,
    model_usage: Schema.optionalKey(
      Schema.NullOr(Schema.Array(Schema.Struct({ model: Schema.String, token_count: Counts })))
    )
  })
})

const decodeMeta = Schema.decodeUnknownOption(Meta)

const usageOf = ({ input_tokens, output_tokens }: typeof Counts.Type): AgentUsage => ({
  inputTokens: input_tokens,
  outputTokens: output_tokens
})

/** A cancelled turn reports nothing. */
const reportOf = ({ stopReason, _meta }: PromptResult): RunReport => {
  const quota = Option.getOrUndefined(decodeMeta(_meta))?.quota
  const models = (quota?.model_usage ?? []).map(({ model, token_count }) => [model, usageOf(token_count)] as const)
  return {
    ...(stopReason == null ? {} : { stopReason }),
    ...(quota === undefined ? {} : { usage: usageOf(quota.token_count), modelUsage: Object.fromEntries(models) })
  }
}

const modeIds: Readonly<Record<PermissionMode, string>> = {
  default: "default",
  plan: "plan",
  "accept-edits": "autoEdit",
  bypass: "yolo"
}

const reportedModes = new Map<string, PermissionMode>([
  ["default", "default"],
  ["plan", "plan"],
  ["autoEdit", "accept-edits"],
  ["yolo", "bypass"]
])

/** Undefined for an unknown word. */
export const reportedMode = (modeId: string): PermissionMode | undefined => reportedModes.get(modeId)

const askFor = (session: AcpSession, permissionMode: PermissionMode): AcpRequest | undefined => {
  const request = askForMode(session, modeIds[permissionMode])
  return request && { ...request, sets: { ...request.sets, permissionMode } }
}

const zeroWidth = "\u200B"

/** A `/` or `$` in front would run a command of the CLI, also behind blanks. */
const disarm = (text: string) => (/^\s*[/$]/.test(text) ? `${zeroWidth}${text}` : text)

/** Beside a `resource`, the CLI silently drops images and sounds. Any other type is passed on in an `image`. */
const blockOf = (attachment: LoadedAttachment) =>
  attachment.kind === "text"
    ? { type: "text", text: `\n\n--- ${attachment.name} ---\n${textOf(attachment)}` }
    : { type: "image", mimeType: attachment.mediaType, data: base64Of(attachment) }

const serverNames = ({ mcpServers = {} }: AgentOpenParams) => Object.keys(mcpServers)

export const geminiFlavor: AcpFlavor = {
  id: "gemini",
  resumes: "load",
  historyEnds: "commands",
  begin: [
    // A flag sets the mode, which the CLI silently ignores in some places.
    ({ permissionMode }, session) =>
      permissionMode === undefined || session.modeId === modeIds[permissionMode]
        ? undefined
        : askFor(session, permissionMode)
  ],
  change: (change, session) =>
    (change._tag === "Model" ? askForModel(session, change.model) : askFor(session, change.permissionMode)) ?? {
      problem: "Gemini CLI offers no way to change it"
    },
  describe: (call, params) => describeCall(call, serverNames(params)),
  ask: askOfCall,
  rejectsSilently: true,
  prompt: (text, slashCommands) => [{ type: "text", text: slashCommands ? text : disarm(text) }],
  attachment: blockOf,
  report: reportOf,
  failure: (error) =>
    error.code >= 400 && error.code < 600 ? failureOfStatus(error.code, error.message) : failureOf(error)
}
