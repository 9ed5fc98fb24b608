/**
 * How Gemini CLI (0.61.0) speaks the Agent Client Protocol. Its permission request is the only announcement of a call, and a
 * denied call gets no further update. Tokens come with the answer to a prompt.
 */
import { Option, Schema } from "effect"
import type { PermissionMode } from "../../../contract/AgentExecuteParams.ts"
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import { base64Of, type LoadedAttachment, textOf } from "../../../contract/Attachment.ts"
import type { PermissionAsk } from "../../../contract/Rule.ts"
import { firstLine } from "../../../contract/text/toolTitle.ts"
import type { AcpCall, AcpFlavor, AcpRequest, AcpSession } from "../../acp/live/flavor.ts"
import { failureOf } from "../../acp/live/outcomes.ts"
import { askForMode, askForModel, withMode } from "../../acp/live/sessionFacts.ts"
import { diffsOf, type PromptResult, textsOf } from "../../acp/wire.ts"
import { zeroWidth } from "../../commandLine.ts"
import type { RunReport } from "../../Decoder.ts"
import { present } from "../../jsonFields.ts"
import { optional } from "../../wireDecoder.ts"
import { failureOfStatus } from "../run/failures.ts"
import { describeTool } from "../run/tools.ts"

// The CLI gives neither name nor input of a tool call: the name is the beginning of the call's id, and only its title and
// content describe the input.

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

/** The known part of the input. */
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

/** The directory of a command, if it is not the working directory. */
const place = /^\[(?:in|current working directory) (.+?)\] /s

/** The title is the whole command; the content has its directory and its purpose, in one text. */
const askOfCommand = (title: string, content: Call["content"]): Partial<PermissionAsk> => {
  const description = textsOf(content).join("\n")
  const directory = place.exec(`${description} `)?.[1]
  const rest = description === "" ? {} : { description }
  return { command: title, input: { command: title, ...rest }, ...present({ directory }), rest }
}

/** The CLI cuts long titles, such as those of `web_fetch` at 100 characters. */
const isCut = /(?:\.\.\.|…)["')]*$/

/** The permission request of a call. If the title alone describes the call, it is the input. */
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

/** Tokens of all requests of a turn. Cached ones are part of the input and not separated; thoughts are not reported. */
const Counts = Schema.Struct({ input_tokens: Schema.Finite, output_tokens: Schema.Finite })

const ModelUsage = Schema.Struct({ model: Schema.String, token_count: Counts })
const Meta = Schema.Struct({
  quota: Schema.Struct({ token_count: Counts, model_usage: optional(Schema.Array(ModelUsage)) })
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
    ...present({ stopReason }),
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

export const reportedMode = (modeId: string): PermissionMode | undefined => reportedModes.get(modeId)

const askFor = (session: AcpSession, permissionMode: PermissionMode): AcpRequest | undefined =>
  withMode(askForMode(session, modeIds[permissionMode]), permissionMode)

/** A leading `/` or `$` would run a command of the CLI, also after blanks. */
const disarm = (text: string) => (/^\s*[/$]/.test(text) ? `${zeroWidth}${text}` : text)

/** With a `resource` in the prompt, the CLI silently drops images and sounds. It takes any other type in an `image`. */
const blockOf = (attachment: LoadedAttachment) =>
  attachment.kind === "text"
    ? { type: "text", text: `\n\n--- ${attachment.name} ---\n${textOf(attachment)}` }
    : { type: "image", mimeType: attachment.mediaType, data: base64Of(attachment) }

export const geminiFlavor: AcpFlavor = {
  id: "gemini",
  resumes: "load",
  historyEnds: "commands",
  begin: [
    // The CLI may silently ignore the flag for the mode.
    ({ permissionMode }, session) =>
      permissionMode === undefined || session.modeId === modeIds[permissionMode]
        ? undefined
        : askFor(session, permissionMode)
  ],
  change: (change, session) =>
    (change._tag === "Model" ? askForModel(session, change.model) : askFor(session, change.permissionMode)) ?? {
      problem: "Gemini CLI offers no way to change it"
    },
  describe: (call, { mcpServers = {} }) => describeCall(call, Object.keys(mcpServers)),
  ask: askOfCall,
  rejectsSilently: true,
  prompt: (text, slashCommands) => [{ type: "text", text: slashCommands ? text : disarm(text) }],
  attachment: blockOf,
  report: reportOf,
  failure: (error) =>
    error.code >= 400 && error.code < 600 ? failureOfStatus(error.code, error.message) : failureOf(error)
}
