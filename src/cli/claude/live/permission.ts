/** `can_use_tool` → a permission request in the words that all CLIs share (2.1.328). */
import { Predicate, Result } from "effect"
import type { ToolKind } from "../../../contract/AgentEvent.ts"
import type { Offer, PermissionAsk } from "../../../contract/Ask.ts"
import type { FileEdit } from "../../../contract/SessionEvent.ts"
import { prefixOffer } from "../../prefixOffer.ts"
import { describeTool } from "../run/tools.ts"
import { type CanUseTool, decodeSuggestion } from "./wire.ts"

/**
 * The tools whose input names a file or directory, and the field that does. Paths that a command touches cannot be read
 * from its text.
 */
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

const omit = (input: unknown, ...names: ReadonlyArray<string>): unknown =>
  Predicate.isObject(input)
    ? Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)))
    : input

/** A change of a file, and the part of the input that it does not cover. */
interface Change {
  readonly edits: ReadonlyArray<FileEdit>
  readonly rest: unknown
}

/** Undefined where this is no replacement. Nothing is replaced in a file that is created. */
const replacement = (path: string, input: unknown): FileEdit | undefined => {
  const [before, after] = [field(input, "old_string"), field(input, "new_string")]
  if (before === undefined || after === undefined) return undefined
  const everywhere = Predicate.hasProperty(input, "replace_all") && input.replace_all === true
  return {
    path,
    ...(before === "" ? {} : { before }),
    after,
    ...(everywhere ? { everywhere } : {})
  }
}

const editOf = (path: string, input: unknown): Change | undefined => {
  const edit = replacement(path, input)
  return edit && { edits: [edit], rest: omit(input, "file_path", "old_string", "new_string", "replace_all") }
}

const multiEditOf = (path: string, input: unknown): Change | undefined => {
  const given: unknown = Predicate.hasProperty(input, "edits") ? input.edits : undefined
  if (!Array.isArray(given)) return undefined
  const edits = given.map((edit: unknown) => replacement(path, edit)).filter((edit) => edit !== undefined)
  return edits.length === given.length ? { edits, rest: omit(input, "file_path", "edits") } : undefined
}

const writeOf = (path: string, input: unknown): Change | undefined => {
  const after = field(input, "content")
  return after === undefined ? undefined : { edits: [{ path, after }], rest: omit(input, "file_path", "content") }
}

/** A notebook edit changes a cell, which only the input describes. */
const changes: { readonly [toolName: string]: (path: string, input: unknown) => Change | undefined } = {
  Edit: editOf,
  MultiEdit: multiEditOf,
  Write: writeOf
}

const changeOf = (toolName: string, path: string | undefined, input: unknown): Change | undefined => {
  const read = Object.hasOwn(changes, toolName) ? changes[toolName] : undefined
  return path === undefined ? undefined : read?.(path, input)
}

const exitPlan = "ExitPlanMode"

/** Not in the sandbox of the CLI, or not in the directories that it may use. */
const isEscalated = (input: unknown, { decision_reason_type: why }: CanUseTool): boolean =>
  why === "workingDir" ||
  (Predicate.hasProperty(input, "dangerouslyDisableSandbox") && input.dangerouslyDisableSandbox === true)

/** Approvers of plans are asked when plan mode is left, not when it is entered. */
const kindOf = (toolName: string, kind: ToolKind): ToolKind =>
  kind === "plan" && toolName !== exitPlan ? "other" : kind

/** Words of one command, and `*` for what follows them. */
const commandOffer = (pattern: string): ReadonlyArray<Offer> =>
  pattern.endsWith(" *") ? prefixOffer(pattern.slice(0, -2).split(" "), "", { tools: ["Bash"] }) : []

const toolOffer = (tool: string): ReadonlyArray<Offer> => {
  if (tool.includes("*")) return []
  const covers = `Every call of ${tool}, with any input, until this session ends.`
  return [{ label: `all calls of ${tool}`, covers, match: { tools: [tool] } }]
}

/**
 * Scopes wider than the request: only those suggestions whose meaning is the same here for certain (2.1.330). They are
 * never handed back, so that the CLI keeps asking and rules that deny keep working.
 */
const offersOf = (suggestion: unknown): ReadonlyArray<Offer> => {
  const decoded = decodeSuggestion(suggestion)
  if (Result.isFailure(decoded)) return []
  return decoded.success.rules.flatMap(({ toolName, ruleContent }) => {
    if (ruleContent == null) return toolOffer(toolName)
    return toolName === "Bash" ? commandOffer(ruleContent) : []
  })
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
  const places = [path, request.blocked_path ?? undefined].filter((place) => place !== undefined)
  const change = changeOf(toolName, path, input)
  const plan = toolName === exitPlan ? field(input, "plan") : undefined
  const isPlanMissing = toolName === exitPlan && (plan ?? "").trim() === ""
  return {
    requestId,
    toolName,
    toolId,
    kind: kindOf(toolName, kind),
    input,
    title,
    escalated: isEscalated(input, request),
    ...(command === undefined ? {} : { command, rest: omit(input, "command") }),
    ...(path === undefined ? {} : { rest: omit(input, pathFields[toolName] ?? "") }),
    ...(places.length === 0 ? {} : { paths: [...new Set(places)] }),
    ...change,
    ...(plan === undefined || isPlanMissing ? {} : { plan, rest: omit(input, "plan") }),
    ...(isPlanMissing ? { isIncomplete: true } : {}),
    ...(reason ? { reason } : {}),
    ...(parentToolId === undefined ? {} : { parentToolId }),
    offers: (request.permission_suggestions ?? []).flatMap(offersOf),
    takesInput: true
  }
}
