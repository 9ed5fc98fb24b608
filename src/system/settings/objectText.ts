/** One object of a document, whose members are changed in constant time; pure. Comments and spaces around them stay. */
import { Equal, type Schema } from "effect"
import { blankComments, type Document, membersOf, spaceBefore } from "./document.ts"

export interface Entry {
  readonly name: string
  /** The text from the comma or brace before it to its name. */
  before: string
  /** The name and the colon, as they are written. */
  readonly head: string
  /** The value as it is written, with its comments. */
  source: string
  /** The text up to the comma or brace after it. */
  after: string
  previous: Entry | undefined
  next: Entry | undefined
}

export interface ObjectText {
  /** The last of duplicate names, as in JSON. */
  readonly find: (name: string) => Entry | undefined
  /** Adds a member at the end. */
  readonly append: (name: string, source: string) => Entry
  readonly remove: (entry: Entry) => void
  readonly render: () => string
}

/** The object that begins at `open`. */
export const readObject = (document: Document, open: number, end: number): ObjectText => {
  const { text } = document
  const members = membersOf(document, open)
  const commaAfter = (from: number) => document.plain.indexOf(",", from)
  let from = open + 1
  const entries = members.map(({ name, start, valueStart, end: valueEnd }, index): Entry => {
    const close = index === members.length - 1 ? end - 1 : commaAfter(valueEnd)
    const entry: Entry = {
      name,
      before: text.slice(from, start),
      head: text.slice(start, valueStart),
      source: text.slice(valueStart, valueEnd),
      after: text.slice(valueEnd, close),
      previous: undefined,
      next: undefined
    }
    from = close + 1
    return entry
  })
  return make(entries, members.length === 0 ? text.slice(open + 1, end - 1) : "")
}

/** Indentation of a first member: on a line of its own if the empty object spans lines. */
const leadInEmpty = (inner: string) => {
  if (!/^[ \t]*\r?\n/.test(inner)) return ""
  const margin = /[^\n]*$/.exec(blankComments(inner))?.[0] ?? ""
  return `\n${margin}  `
}

const isBlank = (text: string) => spaceBefore(text, text.length) === 0

const make = (entries: ReadonlyArray<Entry>, emptyText: string): ObjectText => {
  const byName = new Map<string, Array<Entry>>()
  let first: Entry | undefined
  let last: Entry | undefined
  /** The text between the braces of an object without members. */
  let inner = emptyText

  const add = (entry: Entry) => {
    entry.previous = last
    if (last === undefined) first = entry
    else last.next = entry
    last = entry
    const same = byName.get(entry.name)
    if (same === undefined) byName.set(entry.name, [entry])
    else same.push(entry)
    return entry
  }
  for (const entry of entries) add(entry)

  const remove = (entry: Entry) => {
    const { name, previous, next, after } = entry
    // Spaces after a comment stay: they may contain its line end.
    const rest = `${isBlank(entry.before) ? "" : entry.before}${after}`
    if (previous !== undefined) previous.after += rest
    else if (next !== undefined) next.before = rest + next.before
    else inner = rest
    if (previous === undefined) first = next
    else previous.next = next
    if (next === undefined) last = previous
    else next.previous = previous
    byName.set(
      name,
      (byName.get(name) ?? []).filter((other) => other !== entry)
    )
  }

  const append = (name: string, source: string) => {
    const before =
      last === undefined ? leadInEmpty(inner) : last.before.slice(spaceBefore(last.before, last.before.length))
    const after = last === undefined ? inner : last.after
    if (last !== undefined) last.after = ""
    inner = ""
    const head = `${JSON.stringify(name)}: `
    return add({ name, before, head, source, after, previous: undefined, next: undefined })
  }

  const render = () => {
    const parts: Array<string> = ["{"]
    for (let entry = first; entry !== undefined; entry = entry.next) {
      parts.push(entry.before, entry.head, entry.source, entry.after, entry.next === undefined ? "" : ",")
    }
    return [...parts, inner, "}"].join("")
  }
  return { find: (name) => byName.get(name)?.at(-1), append, remove, render }
}

export const isObjectSource = ({ source }: Entry) => source.startsWith("{")

/** Compares values; comments in the source are ignored. */
export const hasValue = ({ source }: Entry, value: Schema.Json): boolean =>
  Equal.equals<unknown, unknown>(JSON.parse(blankComments(source)), value)
