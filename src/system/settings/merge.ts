/** Puts members into a settings text and takes exactly those out again, even if the rest was edited meanwhile; pure. */
import { Option, Result, type Schema } from "effect"
import { blankComments, type Document, readDocument, spaceBefore } from "./document.ts"
import { type Entry, hasValue, isObjectSource, type ObjectText, readObject } from "./objectText.ts"

/** Sections of the file, and the members to put into each: `{ servers: { name: {…} } }`. */
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

interface Opened {
  readonly root: ObjectText
  /** The value of a member of the root, if it is an object. */
  readonly section: (name: string) => { readonly entry: Entry; readonly object: ObjectText } | undefined
  readonly render: () => string
}

const readWhole = (document: Document) =>
  readObject(document, document.root, spaceBefore(document.plain, document.plain.length))

const openDocument = (document: Document): Opened => {
  const root = readWhole(document)
  const sections = new Map<Entry, ObjectText>()
  const section = (name: string) => {
    const entry = root.find(name)
    if (entry === undefined || !isObjectSource(entry)) return undefined
    const { source } = entry
    const object = sections.get(entry) ?? readWhole({ text: source, plain: blankComments(source), root: 0 })
    sections.set(entry, object)
    return { entry, object }
  }
  const render = () => {
    for (const [entry, object] of sections) entry.source = object.render()
    const end = spaceBefore(document.plain, document.plain.length)
    return `${document.text.slice(0, document.root)}${root.render()}${document.text.slice(end)}`
  }
  return { root, section, render }
}

const open = (text: string): Result.Result<Opened, string> =>
  Option.match(readDocument(text), {
    onNone: () => Result.fail(notJson),
    onSome: (found) => Result.succeed(openDocument(found))
  })

/** The text with all members; they replace members of the same name. Fails with the problem of the text. */
export const merge = (text: string, patches: ReadonlyArray<Patch>): Result.Result<string, string> =>
  Result.gen(function* () {
    const { root, section, render } = yield* open(text)
    for (const { section: name, name: member, value } of entriesOf(patches)) {
      if (root.find(name) === undefined) root.append(name, "{}")
      const found = section(name)
      if (found === undefined) return yield* Result.fail(`has a "${name}" that is not an object`)
      const source = JSON.stringify(value)
      const entry = found.object.find(member)
      if (entry === undefined) found.object.append(member, source)
      else entry.source = source
    }
    return render()
  })

/** Removes a section that was created for the members and is empty now. */
const removeIfEmpty = ({ root, section }: Opened, name: string) => {
  const found = section(name)
  if (found !== undefined && /^\{\s*\}$/.test(found.object.render())) root.remove(found.entry)
}

/** Takes the members out: those of `originalText` come back, later edits stay. Fails if the text is no longer JSON. */
export const withdraw = (
  text: string,
  originalText: string | undefined,
  patches: ReadonlyArray<Patch>
): Result.Result<string, string> =>
  Result.map(open(text), (opened) => {
    const parsed = originalText === undefined ? Option.none() : readDocument(originalText)
    const original = Option.getOrUndefined(Option.map(parsed, openDocument))
    const entries = entriesOf(patches)
    for (const { section, name, value } of entries.toReversed()) {
      const object = opened.section(section)?.object
      const entry = object?.find(name)
      // A value that differs from the one put there was edited by the user, and stays.
      if (object === undefined || entry === undefined || !hasValue(entry, value)) continue
      const source = original?.section(section)?.object.find(name)?.source
      if (source === undefined) object.remove(entry)
      else entry.source = source
    }
    for (const section of [...new Set(entries.map((entry) => entry.section))].toReversed()) {
      if (original?.root.find(section) === undefined) removeIfEmpty(opened, section)
    }
    return opened.render()
  })
