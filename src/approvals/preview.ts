/**
 * All of what a request would do, for whoever is asked; pure. Each line of foreign text stands behind a mark, so that none
 * can pass for another, and what cannot be seen is escaped. Beyond 64 KiB it says how much is not shown.
 */
import { Predicate } from "effect"
import { jsonProblem } from "../contract/json.ts"
import type { FileEdit, PermissionRequestEvent } from "../contract/SessionEvent.ts"
import { exact } from "../text/harmless.ts"

/** In UTF-8. */
const previewBytes = 64 * 1024
const roomForNote = 64

/** A text behind a mark on its first line, and another on those that follow. */
interface Part {
  readonly first: string
  readonly next: string
  readonly text: string
  /** In its place: members of an input for which there is no room. */
  readonly members?: number
  /** What it says cannot be shown. */
  readonly omits?: string
}

/** On one line. */
const exactLine = (text: string): string => exact(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t")

const part = (first: string, next: string, text: string): Part => ({ first, next, text })
const line = (text: string): Part => part("", "", exactLine(text))

/** The line break at its end begins no line. */
const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  return lines
}

const commonStart = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return at
}

const shownContext = 3

const unchanged = (lines: ReadonlyArray<string>, isBefore: boolean): ReadonlyArray<Part> => {
  if (lines.length === 0) return []
  const more = Math.max(0, lines.length - shownContext)
  const shown = isBefore ? lines.slice(more) : lines.slice(0, shownContext)
  const rest = more === 0 ? [] : [line(`  … ${more} unchanged line${more === 1 ? "" : "s"}`)]
  const parts = [part("  ", "  ", shown.join("\n"))]
  return isBefore ? [...rest, ...parts] : [...parts, ...rest]
}

const marked = (mark: string, lines: ReadonlyArray<string>): ReadonlyArray<Part> =>
  lines.length === 0 ? [] : [part(mark, mark, lines.join("\n"))]

const changeParts = (before: string, after: string): ReadonlyArray<Part> => {
  const [old, young] = [before.split("\n"), after.split("\n")]
  const start = commonStart(old, young)
  const end = commonStart(old.slice(start).reverse(), young.slice(start).reverse())
  return [
    ...unchanged(old.slice(0, start), true),
    ...marked("- ", old.slice(start, old.length - end)),
    ...marked("+ ", young.slice(start, young.length - end)),
    ...unchanged(end === 0 ? [] : old.slice(-end), false)
  ]
}

const headOf = ({ path, before, after, line: at, everywhere, movedTo }: FileEdit): string => {
  const to = movedTo === undefined ? "" : ` and move it to ${movedTo}`
  const place = at === undefined ? "" : `, line ${at}`
  if (before === undefined && after === undefined) return movedTo === undefined ? path : `move ${path} to ${movedTo}`
  if (after === undefined) return `delete ${path}`
  if (before === undefined) return `write ${path}${to}`
  return `change ${path}${place}${everywhere === true ? ", wherever this stands" : ""}${to}`
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
    // No character takes less than a byte: what follows is beyond the bound.
    if (length > previewBytes) return [...parts, { ...line(""), members: entries.length - parts.length }]
    const each = valueParts(name, value)
    parts.push(each)
    length += each.text.length
  }
  return parts
}

const warningParts = ({ escalated, doubt }: PermissionRequestEvent): ReadonlyArray<Part> => [
  ...(escalated ? [line("! ESCALATED: outside of the sandbox, or of the directories that may be used")] : []),
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

/** As much as fits into so many bytes, and how many characters of the foreign text do not. */
const written = ({ first, next, text }: Part, room: number): readonly [shown: string, hidden: number] => {
  // No character takes less than a byte.
  if (text.length <= room) {
    const whole = `${first}${exact(text).replaceAll("\n", `\n${next}`)}`
    if (Buffer.byteLength(whole) <= room) return [whole, 0]
  }
  let shown = first
  let bytes = Buffer.byteLength(first)
  let count = 0
  for (const character of text.slice(0, room)) {
    const piece = character === "\n" ? `\n${next}` : exact(character)
    bytes += Buffer.byteLength(piece)
    if (bytes > room) break
    shown += piece
    count += 1
  }
  return [shown, charactersOf(text) - count]
}

export type Preview = Pick<PermissionRequestEvent, "preview" | "notShown">

/** `rest`: what of the input no other field of the request says. */
export const previewOf = (request: PermissionRequestEvent, rest: unknown, workingDirectory: string): Preview => {
  const content = contentParts(request, rest, workingDirectory)
  const { reason } = request
  const parts = [
    ...warningParts(request),
    ...(content.length === 0 ? [line("What this would do is not in the request.")] : content),
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
    const [shown, left] = hidden > 0 ? ["", charactersOf(each.text)] : written(each, room)
    if (shown !== "" || left === 0) lines.push(shown)
    room -= Buffer.byteLength(shown) + 1
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
