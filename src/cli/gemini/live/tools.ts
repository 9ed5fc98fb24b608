/**
 * A tool call in a live session of Gemini CLI (0.61.0) → name, kind, title and input. The CLI gives neither name nor
 * input: the name is the beginning of the call's id, and the input is limited to its title and content.
 */
import { Option, Schema } from "effect"
import type { PermissionAsk } from "../../../contract/Ask.ts"
import { firstLine } from "../../../contract/text/toolTitle.ts"
import type { AcpCall } from "../../acp/live/flavor.ts"
import { diffsOf, textsOf } from "../../acp/wire.ts"
import { describeTool } from "../run/tools.ts"

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
export const inputOf = ({ toolId, title, content, paths }: Call): unknown => {
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
