/** Pi's tools by their names: kind, a one-line title and the files of a call (1.6.0). Extensions add others. */
import type { ToolResultEvent } from "../../../contract/ToolEvent.ts"
import { at } from "../../jsonFields.ts"
import { type Description, describeBy, type Files, type FileTool, filesIn, type Tool } from "../../toolInputs.ts"

const file: Tool = { kind: "file_change", about: ["path"] }
const search: Tool = { kind: "search", about: ["pattern", "path"] }

const tools: Readonly<Record<string, Tool>> = {
  bash: { kind: "command", about: ["command"] },
  write: file,
  edit: file,
  read: { kind: "read", about: ["path"] },
  grep: search,
  find: search,
  ls: { kind: "search", about: ["path"] }
}

export const describeTool = (name: string, input: unknown): Description => describeBy(tools, name, input)

const place: FileTool = { path: "path" }

const fileTools: Readonly<Record<string, FileTool>> = {
  write: { path: "path", content: "content" },
  edit: { path: "path", replaces: { before: "oldText", after: "newText", everywhere: "replaceAll", list: "edits" } },
  read: place,
  grep: place,
  find: place,
  ls: place
}

export const filesOf = (name: string, input: unknown): Files => filesIn(fileTools, name, input)

/** The last words of the output of a command that failed. */
const exited = /(?:^|\n)Command exited with code (\d{1,3})\s*$/

/** `structured`: the facts of a result, of which 0.73.1 has none; without them the code stands in the words of a failure. */
export const exitOf = (
  name: string,
  output: string,
  isError: boolean,
  structured: unknown
): Pick<ToolResultEvent, "exitCode"> => {
  if (name !== "bash") return {}
  const exitCode = at(structured, "exit_code")
  if (Number.isSafeInteger(exitCode)) return { exitCode: Number(exitCode) }
  if (!isError) return { exitCode: 0 }
  const code = exited.exec(output)?.[1]
  return code === undefined ? {} : { exitCode: Number(code) }
}
