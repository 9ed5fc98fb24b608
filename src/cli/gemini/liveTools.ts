/**
 * What Gemini CLI (0.61.0) tells of a tool call in a live session → name, kind, title and input. It gives neither name
 * nor input: the name is in front of the call's id, and of the input there is what the title and the content show.
 */
import { Option, Schema } from "effect"
import type { AcpCall } from "../acp/flavor.ts"
import { diffsOf, textsOf } from "../acp/wire.ts"
import type { PermissionAsk } from "../Live.ts"
import { firstLine } from "../title.ts"
import { describeTool } from "./tools.ts"

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

/** As much as is told. */
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

/** What a person is asked about: the command is the whole title. */
export const askOfCall = ({ toolId, title }: Call): Partial<PermissionAsk> => {
  const name = toolNameOf(toolId)
  if (name === shell && title !== undefined) return { command: title }
  // Whoever approves plans is asked about the way out of plan mode, not about the way in.
  return name === "enter_plan_mode" ? { kind: "other" } : {}
}
