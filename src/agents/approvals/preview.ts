/**
 * The whole effect of a request as a text for the person who is asked; pure. Each line of the agent's text follows a mark, so
 * that none can pass for another kind of line, and invisible characters are escaped. Bounded to 64 KiB.
 */
import { Predicate } from "effect"
import { jsonProblem } from "../../contract/json.ts"
import type { PermissionRequestEvent } from "../../contract/SessionEvent.ts"
import type { FileEdit } from "../../contract/ToolEvent.ts"
import { commonStart, exact } from "../../contract/text/harmless.ts"

/** The reason why a request can only be denied, as a sentence; undefined if it can be allowed. */
export const obstacleOf = ({
  kind,
  plan,
  notShown
}: Pick<PermissionRequestEvent, "kind" | "plan" | "notShown">): string | undefined => {
  if (kind === "plan" && (plan === undefined || plan.trim() === ""))
    return "Its plan is not in the request, so it can only be denied."
  return notShown === undefined ? undefined : `Not all of it can be shown (${notShown}), so it can only be denied.`
}

/** In UTF-8. */
const previewBytes = 64 * 1024
const roomForNote = 64

/** A text with a mark before its first line, and another before the following ones. */
interface Part {
  readonly first: string
  readonly next: string
  readonly text: string
  /** Number of members of an input that are left out; replaces the text. */
  readonly members?: number
  /** Name of a part that cannot be shown, for `notShown`. */
  readonly omits?: string
}

const exactLine = (text: string): string => exact(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t")

const part = (first: string, next: string, text: string): Part => ({ first, next, text })
const line = (text: string): Part => part("", "", exactLine(text))

/** A line break at the end does not start a line. */
const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  return lines
}

const shownContext = 3

const unchanged = (lines: ReadonlyArray<string>, isBefore: boolean): ReadonlyArray<Part> => {
  if (lines.length === 0) return []
  const more = Math.max(0, lines.length - shownContext)
  const visible = isBefore ? lines.slice(more) : lines.slice(0, shownContext)
  const rest = more === 0 ? [] : [line(`  … ${more} unchanged line${more === 1 ? "" : "s"}`)]
  const parts = [part("  ", "  ", visible.join("\n"))]
  return isBefore ? [...rest, ...parts] : [...parts, ...rest]
}

const marked = (mark: string, lines: ReadonlyArray<string>): ReadonlyArray<Part> =>
  lines.length === 0 ? [] : [part(mark, mark, lines.join("\n"))]

const changeParts = (before: string, after: string): ReadonlyArray<Part> => {
  const [old, updated] = [before.split("\n"), after.split("\n")]
  const start = commonStart(old, updated)
  const end = commonStart(old.slice(start).reverse(), updated.slice(start).reverse())
  return [
    ...unchanged(old.slice(0, start), true),
    ...marked("- ", old.slice(start, old.length - end)),
    ...marked("+ ", updated.slice(start, updated.length - end)),
    ...unchanged(end === 0 ? [] : old.slice(-end), false)
  ]
}

const headOf = ({ path, before, after, line: at, everywhere, movedTo }: FileEdit): string => {
  const to = movedTo === undefined ? "" : ` and move it to ${movedTo}`
  const place = at === undefined ? "" : `, line ${at}`
  if (before === undefined && after === undefined) return movedTo === undefined ? path : `move ${path} to ${movedTo}`
  if (after === undefined) return `delete ${path}`
  if (before === undefined) return `write ${path}${to}`
  return `change ${path}${place}${everywhere === true ? ", every occurrence" : ""}${to}`
}

const editParts = (edit: FileEdit): ReadonlyArray<Part> => {
  const { before, after } = edit
  const head = line(headOf(edit))
  if (before !== undefined && after !== undefined) return [head, ...changeParts(before, after)]
  return [head, ...marked("- ", linesOf(before ?? "")), ...marked("+ ", linesOf(after ?? ""))]
}

const valueParts = (name: string, value: unknown): Part => {
  if (!Predicate.isString(value)) return line(`${name}: ${JSON.stringify(value)}`)
  return value.includes("\n")
    ? part(`${exactLine(name)}:\n  `, "  ", value)
    : part("", "", exactLine(`${name}: ${value}`))
}

const inputParts = (input: unknown): ReadonlyArray<Part> => {
  if (input == null) return []
  const problem = jsonProblem(input)
  if (problem !== undefined) return [{ ...line(`! the input ${problem} and cannot be shown`), omits: "its input" }]
  if (!Predicate.isObject(input)) return [valueParts("input", input)]
  const entries = Object.entries(input)
  const parts: Array<Part> = []
  let length = 0
  for (const [name, value] of entries) {
    // A character takes at least one byte: the rest is beyond the limit.
    if (length > previewBytes) return [...parts, { ...line(""), members: entries.length - parts.length }]
    const each = valueParts(name, value)
    parts.push(each)
    length += each.text.length
  }
  return parts
}

const warningParts = ({ escalated, doubt }: PermissionRequestEvent): ReadonlyArray<Part> => [
  ...(escalated ? [line("! ESCALATED: outside of the sandbox, or of the directories that the agent may use")] : []),
  ...(doubt === undefined ? [] : [part("! ", "  ", doubt)])
]

const contentParts = (
  request: PermissionRequestEvent,
  rest: unknown,
  workingDirectory: string
): ReadonlyArray<Part> => {
  const { command, directory, plan, paths = [], edits = [] } = request
  const edited = new Set(edits.flatMap(({ path, movedTo }) => [path, ...(movedTo === undefined ? [] : [movedTo])]))
  return [
    ...(command === undefined ? [] : [part("$ ", "  ", command)]),
    ...(directory === undefined || directory === workingDirectory ? [] : [line(`in ${directory}`)]),
    ...paths.filter((path) => !edited.has(path)).map(line),
    ...edits.flatMap(editParts),
    ...inputParts(rest),
    ...(plan === undefined ? [] : [part("", "", plan)])
  ]
}

const charactersOf = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)

/** The start of a part that fits into `room` bytes, and the number of characters that do not. */
const fitted = ({ first, next, text }: Part, room: number): readonly [visible: string, hidden: number] => {
  // A character takes at least one byte.
  if (text.length <= room) {
    const whole = `${first}${exact(text).replaceAll("\n", `\n${next}`)}`
    if (Buffer.byteLength(whole) <= room) return [whole, 0]
  }
  let visible = first
  let bytes = Buffer.byteLength(first)
  let count = 0
  for (const character of text.slice(0, room)) {
    const piece = character === "\n" ? `\n${next}` : exact(character)
    bytes += Buffer.byteLength(piece)
    if (bytes > room) break
    visible += piece
    count += 1
  }
  return [visible, charactersOf(text) - count]
}

export type Preview = Pick<PermissionRequestEvent, "preview" | "notShown">

/** `rest`: the part of the input that no other field of the request contains. */
export const previewOf = (request: PermissionRequestEvent, rest: unknown, workingDirectory: string): Preview => {
  const content = contentParts(request, rest, workingDirectory)
  const { reason } = request
  const parts = [
    ...warningParts(request),
    ...(content.length === 0 ? [line("The request does not say what it would do.")] : content),
    ...(reason === undefined ? [] : [part("reason: ", "  ", reason)])
  ]
  let room = previewBytes - roomForNote
  let hidden = 0
  let members = 0
  const lines: Array<string> = []
  for (const each of parts) {
    if (each.members !== undefined) {
      members += each.members
      continue
    }
    const [visible, left] = hidden > 0 ? ["", charactersOf(each.text)] : fitted(each, room)
    if (visible !== "" || left === 0) lines.push(visible)
    room -= Buffer.byteLength(visible) + 1
    hidden += left
  }
  const preview = lines.join("\n")
  const [omitted] = parts.flatMap(({ omits = [] }) => omits)
  if (hidden === 0) return omitted === undefined ? { preview } : { preview, notShown: omitted }
  const more = members === 0 ? "" : ` and ${members} members`
  return {
    preview: `${preview}\n… ${hidden} more characters${more}, not shown`,
    notShown: `${hidden} characters${more}`
  }
}
