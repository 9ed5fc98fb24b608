/**
 * Facts in the input of a tool call: files, edits, to-do list, kind and title, read the same way for the call and for the
 * permission request about it. A CLI has tables of its tools with the names of their inputs. Paths are texts of the agent:
 * relative or absolute, and never opened.
 */
import { Predicate } from "effect"
import type { FileEdit, PlanEntry, PlanEvent, PlanStatus, ToolKind } from "../contract/ToolEvent.ts"
import { titleOf } from "../contract/text/toolTitle.ts"
import { entryOf, present } from "./jsonFields.ts"

export interface Tool {
  readonly kind: ToolKind
  /** The inputs that best describe a call, in order. */
  readonly about: ReadonlyArray<string>
}

export interface Description {
  readonly kind: ToolKind
  readonly title: string
}

/** Kind and title of one call; without a descriptive input the title is the tool's name. */
export const describeBy = (tools: Readonly<Record<string, Tool>>, name: string, input: unknown): Description => {
  const tool = entryOf(tools, name)
  return tool === undefined
    ? { kind: "other", title: name }
    : { kind: tool.kind, title: titleOf(name, input, tool.about) }
}

/** A tool that reads or changes the file, or looks into the directory, that one of its inputs names. */
export interface FileTool {
  readonly path: string
  /** The input with the whole new content. */
  readonly content?: string
  /** The inputs of a replacement. */
  readonly replaces?: Replaces
}

interface Replaces {
  readonly before: string
  readonly after: string
  /** If true, every occurrence is replaced. */
  readonly everywhere: string
  /** The input with a list of replacements, each of which has the inputs above. */
  readonly list?: string
}

export interface Files {
  readonly paths?: ReadonlyArray<string>
  readonly edits?: ReadonlyArray<FileEdit>
}

/** A text, which may be empty. */
export const textIn = (input: unknown, name: string): string | undefined => {
  const value = Predicate.hasProperty(input, name) ? input[name] : undefined
  return Predicate.isString(value) ? value : undefined
}

export const omit = (input: unknown, names: ReadonlyArray<string>): unknown =>
  Predicate.isObject(input)
    ? Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)))
    : input

/** Edits, and the inputs that they describe in full. */
interface Change {
  readonly edits: ReadonlyArray<FileEdit>
  readonly covered: ReadonlyArray<string>
}

/** Returns undefined if this is not a replacement. Creating a file replaces nothing. */
const replacement = (path: string, input: unknown, names: Replaces): FileEdit | undefined => {
  const [before, after] = [textIn(input, names.before), textIn(input, names.after)]
  if (before === undefined || after === undefined) return undefined
  const everywhere = Predicate.hasProperty(input, names.everywhere) && input[names.everywhere] === true
  return { path, ...(before === "" ? {} : { before }), after, ...(everywhere ? { everywhere } : {}) }
}

const replacements = (path: string, input: unknown, names: Replaces, list: string): Change | undefined => {
  const entries: unknown = Predicate.hasProperty(input, list) ? input[list] : undefined
  if (!Array.isArray(entries)) return undefined
  const edits = entries.map((edit: unknown) => replacement(path, edit, names)).filter((edit) => edit !== undefined)
  return edits.length === entries.length ? { edits, covered: [list] } : undefined
}

const changeOf = ({ content, replaces }: FileTool, path: string, input: unknown): Change | undefined => {
  if (content !== undefined) {
    const after = textIn(input, content)
    return after === undefined ? undefined : { edits: [{ path, after }], covered: [content] }
  }
  if (replaces === undefined) return undefined
  const { before, after, everywhere, list } = replaces
  if (list !== undefined) return replacements(path, input, replaces, list)
  const edit = replacement(path, input, replaces)
  return edit && { edits: [edit], covered: [before, after, everywhere] }
}

/** With the part of the input that paths and edits do not show. Undefined where the input names no file. */
export const readFiles = (
  tool: FileTool,
  input: unknown
): (Files & { readonly paths: ReadonlyArray<string>; readonly rest: unknown }) | undefined => {
  const path = textIn(input, tool.path)
  if (path === undefined) return undefined
  const change = changeOf(tool, path, input)
  return {
    paths: [path],
    ...(change === undefined ? {} : { edits: change.edits }),
    rest: omit(input, [tool.path, ...(change?.covered ?? [])])
  }
}

/** For a `tool_use`. */
export const filesIn = (tools: Readonly<Record<string, FileTool>>, name: string, input: unknown): Files => {
  const tool = entryOf(tools, name)
  const { rest: _, ...files } = (tool && readFiles(tool, input)) ?? { rest: undefined }
  return files
}

/** The words of all CLIs for the status of an entry. */
const statuses = new Map<string | undefined, PlanStatus>([
  ["pending", "pending"],
  ["in_progress", "in_progress"],
  ["inProgress", "in_progress"],
  ["completed", "completed"],
  ["cancelled", "cancelled"],
  ["blocked", "blocked"]
])

const planEntry = (item: unknown, name: string): PlanEntry | undefined => {
  const text = textIn(item, name)
  return text === undefined ? undefined : { text, ...present({ status: statuses.get(textIn(item, "status")) }) }
}

/** `name`: the field with the text of an item. No event if this is not a list, or an item has no text. */
export const planOf = (
  items: unknown,
  name: string,
  call: Pick<PlanEvent, "toolId" | "parentToolId"> = {}
): ReadonlyArray<PlanEvent> => {
  if (!Array.isArray(items)) return []
  const entries = items.map((item: unknown) => planEntry(item, name)).filter((entry) => entry !== undefined)
  return entries.length === items.length ? [{ type: "plan", entries, ...call }] : []
}
