/** Some lines of what would be done, for the person who is asked; pure. What is left out is marked with `…`. */
import type { FileEdit, PermissionAsk } from "../cli/Live.ts"
import { plain } from "../harmless.ts"

const width = 60
const pathWidth = 120
const linesOfCommand = 8
const linesOfFile = 8
const linesOfChange = 4
const mostEdits = 4

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** At most `width` characters, with `…` where something was cut. */
const clip = (line: string): string => {
  // A character may be many code units; this much holds more than any line that is shown.
  const head = line.slice(0, width * 32)
  const shown = Array.from(graphemes.segment(plain(head).replaceAll("\t", "  ")), ({ segment }) => segment)
  if (head.length === line.length && shown.length <= width) return shown.join("")
  return `${shown.slice(0, width - 1).join("")}…`
}

/** Up to so many lines of a text, and how many more it has. */
const firstLines = (text: string, most: number): { readonly lines: ReadonlyArray<string>; readonly more: number } => {
  const whole = text.replace(/\r?\n$/, "")
  if (whole === "") return { lines: [], more: 0 }
  const lines = whole.split(/\r?\n/)
  return { lines: lines.slice(0, most).map(clip), more: Math.max(0, lines.length - most) }
}

const left = (more: number, noun: string): ReadonlyArray<string> =>
  more === 0 ? [] : [`… ${more} more ${noun}${more === 1 ? "" : "s"}`]

const marked = (mark: "-" | "+", text: string, most: number): ReadonlyArray<string> => {
  const { lines, more } = firstLines(text, most)
  return [...lines.map((line) => `${mark} ${line}`), ...left(more, "line")]
}

const commandLines = (command: string): ReadonlyArray<string> => {
  const { lines, more } = firstLines(command.trim(), linesOfCommand)
  return [...lines.map((line, index) => `${index === 0 ? "$" : " "} ${line}`), ...left(more, "line")]
}

/** The end of a path tells more than its beginning. */
const pathLine = (path: string): string => {
  const line = plain(path).replaceAll(/[\n\t]/g, "�")
  return line.length <= pathWidth ? line : `…${line.slice(1 - pathWidth)}`
}

const editLines = ({ removed, added }: FileEdit): ReadonlyArray<string> =>
  removed === undefined
    ? marked("+", added, linesOfFile)
    : [...marked("-", removed, linesOfChange), ...marked("+", added, linesOfChange)]

const editsLines = (edits: ReadonlyArray<FileEdit>): ReadonlyArray<string> => [
  ...edits.slice(0, mostEdits).flatMap((edit, index) => {
    const isSameFile = index > 0 && edits[index - 1]?.path === edit.path
    return [isSameFile ? "…" : pathLine(edit.path), ...editLines(edit)]
  }),
  ...left(Math.max(0, edits.length - mostEdits), "edit")
]

export const previewOf = ({ command, edits = [] }: PermissionAsk): string | undefined => {
  const lines = [...(command === undefined ? [] : commandLines(command)), ...editsLines(edits)]
  return lines.length === 0 ? undefined : lines.join("\n")
}
