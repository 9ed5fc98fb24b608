/** `can_use_tool` → a permission request in the words that all CLIs share (2.1.328). */
import { Predicate } from "effect"
import type { FileEdit, PermissionAsk } from "../Live.ts"
import type { CanUseTool } from "./control.ts"
import { describeTool } from "./tools.ts"

/** The tools whose input names a file or directory, and where. What a command touches nobody can tell from its text. */
const pathFields: Readonly<Record<string, string>> = {
  Edit: "file_path",
  MultiEdit: "file_path",
  Write: "file_path",
  Read: "file_path",
  NotebookEdit: "notebook_path",
  NotebookRead: "notebook_path",
  Glob: "path",
  Grep: "path",
  LS: "path"
}

const field = (input: unknown, name: string): string | undefined => {
  const value = Predicate.hasProperty(input, name) ? input[name] : undefined
  return Predicate.isString(value) ? value : undefined
}

const pathOf = (toolName: string, input: unknown) => {
  const name = Object.hasOwn(pathFields, toolName) ? pathFields[toolName] : undefined
  return name === undefined ? undefined : field(input, name)
}

const replaced = (path: string, input: unknown): FileEdit => ({
  path,
  removed: field(input, "old_string") ?? "",
  added: field(input, "new_string") ?? ""
})

const editsOf = (toolName: string, path: string | undefined, input: unknown): ReadonlyArray<FileEdit> | undefined => {
  if (path === undefined) return undefined
  switch (toolName) {
    case "Edit":
      return [replaced(path, input)]
    case "MultiEdit": {
      const edits = Predicate.hasProperty(input, "edits") ? input.edits : undefined
      return Array.isArray(edits) ? edits.map((edit: unknown) => replaced(path, edit)) : undefined
    }
    case "Write":
      return [{ path, added: field(input, "content") ?? "" }]
    case "NotebookEdit":
      return [{ path, added: field(input, "new_source") ?? "" }]
    default:
      return undefined
  }
}

export const askOf = (
  requestId: string,
  toolId: string,
  request: CanUseTool,
  parentToolId: string | undefined
): PermissionAsk => {
  const { tool_name: toolName, input = {}, decision_reason: reason } = request
  const { kind, title } = describeTool(toolName, input)
  const command = kind === "command" ? field(input, "command") : undefined
  const path = pathOf(toolName, input)
  const edits = editsOf(toolName, path, input)
  const plan = toolName === "ExitPlanMode" ? field(input, "plan") : undefined
  return {
    requestId,
    toolName,
    toolId,
    kind,
    input,
    title,
    ...(command === undefined ? {} : { command }),
    ...(path === undefined ? {} : { paths: [path] }),
    ...(edits === undefined ? {} : { edits }),
    ...(plan === undefined ? {} : { plan }),
    ...(reason ? { reason } : {}),
    ...(parentToolId === undefined ? {} : { parentToolId }),
    takesInput: true
  }
}
