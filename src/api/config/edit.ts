/** Changes one key in a TOML document: comments, order and layout stay. Parses the outcome to check it. Pure. */
import { Equal, Predicate, Result } from "effect"
import * as Toml from "effect/encoding/Toml"
import { type Entry, isAt, isBelow, type Places, placesIn, type Section } from "./document.ts"

export type Path = ReadonlyArray<string>

export type Values = Readonly<Record<string, unknown>>

export type Value = string | number | boolean | ReadonlyArray<string>

const keyText = (part: string) => (/^[\w-]+$/.test(part) ? part : JSON.stringify(part))
export const pathText = (path: Path): string => path.map(keyText).join(".")

/** JSON's escapes are TOML's, too. */
const valueText = (value: Value): string =>
  Array.isArray(value) ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]` : JSON.stringify(value)

const splice = (text: string, from: number, to: number, by: string) => text.slice(0, from) + by + text.slice(to)

/** The place behind the line break, or the end of the text. */
const afterLine = (text: string, at: number) => {
  const end = text.indexOf("\n", at)
  return end === -1 ? text.length : end + 1
}

const newLine = (text: string) => (text.includes("\r\n") ? "\r\n" : "\n")

const insertLine = (text: string, at: number, line: string) => {
  const place = afterLine(text, at)
  const eol = newLine(text)
  const isOpen = place === text.length && place > 0 && !text.endsWith("\n")
  return splice(text, place, place, `${isOpen ? eol : ""}${line}${eol}`)
}

const insertInline = (
  text: string,
  { value, path: outer }: Entry,
  entries: ReadonlyArray<Entry>,
  path: Path,
  input: string
) => {
  const last = entries.findLast(({ within }) => within !== undefined && isAt(within.path, outer))
  const entry = `${pathText(path.slice(outer.length))} = ${input}`
  return last === undefined
    ? splice(text, value.from, value.to, `{ ${entry} }`)
    : splice(text, last.value.to, last.value.to, `, ${entry}`)
}

/** Inserts a new key before all headers, behind a comment that opens the file. */
const insertAtRoot = (text: string, line: string) => {
  const opening = /^\ufeff?(?:#[^\n]*\n)*(?:\r?\n|$)/.exec(text)?.[0] ?? (text.startsWith("\ufeff") ? "\ufeff" : "")
  const [eol, at] = [newLine(text), opening.length]
  const gap = text.slice(at).trimStart().startsWith("[") ? eol : ""
  return splice(text, at, at, `${opening.endsWith("\n") || at < 2 ? "" : eol}${line}${eol}${gap}`)
}

const insert = (text: string, { sections, entries }: Places, path: Path, input: string): string => {
  const inline = entries.findLast(({ isInlineTable, path: at }) => isInlineTable && isBelow(path, at))
  if (inline !== undefined) return insertInline(text, inline, entries, path, input)
  const parent = path.slice(0, -1)
  const lineIn = (section: Section) => `${pathText(path.slice(section.path.length))} = ${input}`
  // Beside keys of the same parent, also if they are written as `agents.claude.model`.
  const sibling = entries.findLast((each) => each.within === undefined && isAt(each.path.slice(0, -1), parent))
  if (sibling !== undefined) return insertLine(text, sibling.value.to, lineIn(sibling.section))
  const section = sections.find((each) => isAt(each.path, parent))
  if (parent.length === 0) return insertAtRoot(text, `${pathText(path)} = ${input}`)
  if (section !== undefined) return insertLine(text, section.span.to, lineIn(section))
  const dotted = entries.findLast((each) => isBelow(each.path, parent) && each.section.path.length < parent.length)
  if (dotted !== undefined) return insertLine(text, dotted.value.to, lineIn(dotted.section))
  const eol = newLine(text)
  const gap = text.trim() === "" ? "" : text.endsWith("\n") ? eol : eol + eol
  return `${text}${gap}[${pathText(parent)}]${eol}${pathText(path.slice(-1))} = ${input}${eol}`
}

export const isTable = (value: unknown): value is Values =>
  Predicate.isObject(value) && !Array.isArray(value) && !(value instanceof Date)

export const valueAt = (values: Values, path: Path): unknown =>
  path.reduce<unknown>(
    (value, part) => (isTable(value) && Object.hasOwn(value, part) ? value[part] : undefined),
    values
  )

/** All values by their paths; empty tables count as absent. */
const leaves = (value: unknown, at: Path = []): ReadonlyArray<readonly [string, unknown]> =>
  isTable(value)
    ? Object.entries(value).flatMap(([part, inner]) => leaves(inner, [...at, part]))
    : [[JSON.stringify(at), value]]

const isSame = (before: unknown, after: unknown) =>
  Equal.equals(before, after) || JSON.stringify(before) === JSON.stringify(after)

/** Whether the outcome has this value at the path (or none), and all others as before. */
const isRight = (before: Values, after: string, path: Path, value: Value | undefined) => {
  const parsed = Toml.parse(after)
  if (Result.isFailure(parsed)) return false
  const others = (values: Values) => leaves(values).filter(([at]) => !isBelow(JSON.parse(at), path))
  const found = leaves(parsed.success).filter(([at]) => isBelow(JSON.parse(at), path))
  const expected = value === undefined ? [] : [[JSON.stringify(path), value]]
  const [old, now] = [others(before), others(parsed.success)].map((entries) => Object.fromEntries(entries))
  return isSame(old, now) && isSame(expected, found)
}

/** Fails with a problem and what to do by hand. */
type Edited = Result.Result<string, string>

const byHand = (path: Path) =>
  Result.fail(`${pathText(path)} cannot be changed here in the form that the file has: change it with an editor`)

const edited = (text: string, path: Path, value: Value | undefined, change: (places: Places) => string): Edited => {
  const before = Toml.parse(text)
  // The failure carries the whole text.
  if (Result.isFailure(before)) return Result.fail(before.failure.message)
  const places = placesIn(text)
  if (places.sections.some(({ isRepeated, path: at }) => isRepeated && isBelow(path, at.slice(0, 1))))
    return byHand(path)
  const after = change(places)
  return isRight(before.success, after, path, value) ? Result.succeed(after) : byHand(path)
}

/** The text with this value at the path. Comments inside a replaced value go with it. */
export const set = (text: string, path: Path, value: Value): Edited =>
  edited(text, path, value, (places) => {
    const entry = places.entries.find((each) => isAt(each.path, path))
    const input = valueText(value)
    return entry === undefined
      ? insert(text, places, path, input)
      : splice(text, entry.value.from, entry.value.to, input)
  })

/** Removes the entry and the comma behind or before it. */
const withoutInline = (text: string, { key, value }: Entry) => {
  const behind = /^[ \t]*,[ \t]*/.exec(text.slice(value.to))?.[0]
  if (behind !== undefined) return splice(text, key.from, value.to + behind.length, "")
  const before = /,?[ \t]*$/.exec(text.slice(0, key.from))?.[0] ?? ""
  return splice(text, key.from - before.length, value.to, "")
}

const lineStart = (text: string, at: number) => text.lastIndexOf("\n", at - 1) + 1

/** The text without a key or a table; their lines go with the comments on them. */
export const unset = (text: string, path: Path): Edited =>
  edited(text, path, undefined, ({ entries, sections }) => {
    const gone = entries.filter((each) => isBelow(each.path, path) && !(each.within && isBelow(each.within.path, path)))
    const headers = sections.filter((each) => each.path.length > 0 && isBelow(each.path, path))
    const cuts = [
      ...gone.map((each) => ({ each, from: each.key.from, to: each.value.to })),
      ...headers.map(({ span }) => ({ each: undefined, ...span }))
    ].sort((a, b) => b.from - a.from)
    // From the end, so that the places before stay right.
    return cuts.reduce(
      (rest, { each, from, to }) =>
        each?.within === undefined
          ? splice(rest, lineStart(rest, from), afterLine(rest, to), "")
          : withoutInline(rest, each),
      text
    )
  })
