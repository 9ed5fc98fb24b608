/**
 * Puts members into a settings text and takes exactly them out again; pure. The two are inverse, also when other parts
 * of the text were edited in between: no comment, blank or order of the rest changes.
 */
import { Equal, Option, Result, type Schema } from "effect"
import {
  type Document,
  findMember,
  isObject,
  type Member,
  membersOf,
  readDocument,
  readValue,
  skipSpace,
  sourceOf,
  spaceBefore
} from "./document.ts"

/** Sections of the file, and in each the members that are put there: `{ servers: { name: {…} } }`. */
export type Patch = Readonly<Record<string, Readonly<Record<string, Schema.Json>>>>

export interface PatchEntry {
  readonly section: string
  readonly name: string
  readonly value: Schema.Json
}

export const entriesOf = (patches: ReadonlyArray<Patch>): ReadonlyArray<PatchEntry> =>
  patches.flatMap((patch) =>
    Object.entries(patch).flatMap(([section, members]) =>
      Object.entries(members).map(([name, value]) => ({ section, name, value }))
    )
  )

export const notJson = "is not a JSON object (comments are allowed, a trailing comma is not)"

const open = (text: string): Result.Result<Document, string> => Result.fromOption(readDocument(text), () => notJson)

const splice = (text: string, start: number, end: number, middle: string) =>
  text.slice(0, start) + middle + text.slice(end)

const replace = ({ text }: Document, member: Member, source: string) =>
  splice(text, member.valueStart, member.end, source)

/** Behind the last member, or directly behind the brace of an empty object. */
const insert = (document: Document, object: number, name: string, source: string): string => {
  const { text, plain } = document
  const member = `${JSON.stringify(name)}: ${source}`
  const last = membersOf(document, object).at(-1)
  if (last !== undefined) {
    const lead = text.slice(spaceBefore(text, last.start), last.start)
    return splice(text, last.end, last.end, `,${lead}${member}`)
  }
  const isOnLines = /^[ \t]*\r?\n/.test(text.slice(object + 1))
  const close = skipSpace(plain, object + 1)
  const margin = /[^\n]*$/.exec(plain.slice(object + 1, close))?.[0] ?? ""
  return splice(text, object + 1, object + 1, isOnLines ? `\n${margin}  ${member}` : member)
}

/** With its comma and the blanks before it. Blanks behind a comment stay: they may hold the end of its line. */
const remove = (document: Document, object: number, member: Member): string => {
  const { text, plain } = document
  const isFirst = skipSpace(plain, object + 1) === member.start
  const lead = spaceBefore(text, member.start)
  const isBehindComment = spaceBefore(plain, member.start) < lead
  const start = isBehindComment ? member.start : lead
  const comma = isFirst ? skipSpace(plain, member.end) : spaceBefore(plain, member.start) - 1
  if (plain[comma] !== ",") return splice(text, start, member.end, "")
  return comma > start
    ? splice(splice(text, comma, comma + 1, ""), start, member.end, "")
    : splice(splice(text, start, member.end, ""), comma, comma + 1, "")
}

const put = (text: string, { section, name, value }: PatchEntry): Result.Result<string, string> =>
  Result.gen(function* () {
    const given = yield* open(text)
    const isThere = findMember(given, given.root, section) !== undefined
    const document = isThere ? given : yield* open(insert(given, given.root, section, "{}"))
    const object = findMember(document, document.root, section)
    if (object === undefined || !isObject(document, object)) {
      return yield* Result.fail(`has a "${section}" that is no object`)
    }
    const member = findMember(document, object.valueStart, name)
    const source = JSON.stringify(value)
    return member === undefined ? insert(document, object.valueStart, name, source) : replace(document, member, source)
  })

/** The text with all members in it; a member of the same name is overlaid. Fails with what is wrong with the text. */
export const merge = (text: string, patches: ReadonlyArray<Patch>): Result.Result<string, string> =>
  entriesOf(patches).reduce(
    (merged: Result.Result<string, string>, entry) => Result.flatMap(merged, (current) => put(current, entry)),
    Result.map(open(text), () => text)
  )

const sectionOf = (document: Document, section: string) => {
  const object = findMember(document, document.root, section)
  return object !== undefined && isObject(document, object) ? object : undefined
}

/** How the value was written in `original`. */
const originally = (original: Document | undefined, { section, name }: PatchEntry): string | undefined => {
  const object = original && sectionOf(original, section)
  const member = original && object && findMember(original, object.valueStart, name)
  return member && sourceOf(original, member)
}

/** A value that is not the one put there is the user's own, and stays. */
const take = (text: string, original: Document | undefined, entry: PatchEntry): Result.Result<string, string> =>
  Result.map(open(text), (document) => {
    const object = sectionOf(document, entry.section)
    const member = object && findMember(document, object.valueStart, entry.name)
    if (object === undefined || member === undefined) return text
    if (!Equal.equals(readValue(document, member), entry.value)) return text
    const source = originally(original, entry)
    return source === undefined ? remove(document, object.valueStart, member) : replace(document, member, source)
  })

/** A section that was made for the members goes when nothing is left in it. */
const takeSection = (text: string, original: Document | undefined, section: string): Result.Result<string, string> =>
  Result.map(open(text), (document) => {
    const object = findMember(document, document.root, section)
    const isOwn = original === undefined || findMember(original, original.root, section) === undefined
    if (object === undefined || !isOwn || !/^\{\s*\}$/.test(sourceOf(document, object))) return text
    return remove(document, document.root, object)
  })

/**
 * Takes the members out of a text that was edited since: what stood there in `original` comes back, what was changed
 * meanwhile stays. Fails when the text is no JSON any more.
 */
export const withdraw = (
  text: string,
  originalText: string | undefined,
  patches: ReadonlyArray<Patch>
): Result.Result<string, string> => {
  const original = originalText === undefined ? undefined : Option.getOrUndefined(readDocument(originalText))
  const entries = entriesOf(patches)
  const sections = [...new Set(entries.map(({ section }) => section))]
  const taken = entries.reduceRight(
    (left: Result.Result<string, string>, entry) => Result.flatMap(left, (current) => take(current, original, entry)),
    Result.map(open(text), () => text)
  )
  return sections.reduceRight(
    (left, section) => Result.flatMap(left, (current) => takeSection(current, original, section)),
    taken
  )
}
