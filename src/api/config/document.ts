/**
 * Places of headers, keys and values in the text of a TOML document; pure. The parser of Effect, which has accepted the
 * text, gives values alone; a problem needs its line, and an edit its place.
 */
import { Result } from "effect"
import * as Toml from "effect/encoding/Toml"

/** Range of the text: start, and end (exclusive). */
interface Span {
  readonly from: number
  readonly to: number
}

/** `[agents.claude]`, or the beginning of the document, whose path is empty. */
export interface Section {
  readonly path: ReadonlyArray<string>
  readonly span: Span
  /** `[[agents]]`, or a table below one. */
  readonly isRepeated: boolean
}

/** `model = "opus"`, in a section or in an inline table. */
export interface Entry {
  /** Begins with the path of the section. */
  readonly path: ReadonlyArray<string>
  readonly section: Section
  readonly key: Span
  readonly value: Span
  readonly isInlineTable: boolean
  /** The inline table around it. */
  readonly within: Entry | undefined
}

export interface Places {
  readonly sections: ReadonlyArray<Section>
  readonly entries: ReadonlyArray<Entry>
}

export const isAt = (path: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  path.length === other.length && isBelow(path, other)

/** True for the same path, too. */
export const isBelow = (path: ReadonlyArray<string>, above: ReadonlyArray<string>): boolean =>
  above.every((part, index) => path[index] === part)

const decoded = (quoted: string) => Result.getOrThrow(Toml.parse(`k = ${quoted}`)).k

const bareKey = /[\w-]+/y
const blank = /[ \t]*/y
const between = /(?:[ \t\r\n]|#[^\n]*)*/y
const bareValue = /\d{4}-\d{2}-\d{2} \d{2}:[^\s,#\]}]*|[^\s,#\]}]*/y
/** Up to two quotes may stand before the closing three. */
const quotedText = /"""(?:[^\\]|\\[\s\S])*?"""(?:""?(?!"))?|'''[\s\S]*?'''(?:''?(?!'))?|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y

class Reader {
  at: number
  readonly sections: Array<Section> = []
  readonly entries: Array<Entry> = []
  private readonly text: string

  constructor(text: string) {
    this.text = text
    this.at = text.startsWith("\ufeff") ? 1 : 0
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const [found = ""] = pattern.exec(this.text) ?? []
    this.at += found.length
    return found
  }

  private isNext(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false
    this.at += text.length
    return true
  }

  read(): Places {
    let section: Section = { path: [], span: { from: this.at, to: this.at }, isRepeated: false }
    this.sections.push(section)
    for (this.take(between); this.at < this.text.length; this.take(between)) {
      if (this.text[this.at] === "[") section = this.header()
      else this.entry(section, section.path, undefined)
    }
    return this
  }

  private header(): Section {
    const from = this.at
    const isList = this.isNext("[[")
    if (!isList) this.isNext("[")
    const path = this.path()
    this.isNext(isList ? "]]" : "]")
    const isRepeated = isList || this.sections.some((known) => known.isRepeated && isBelow(path, known.path))
    const section = { path, span: { from, to: this.at }, isRepeated }
    this.sections.push(section)
    return section
  }

  private path(): ReadonlyArray<string> {
    const parts: Array<string> = []
    do {
      this.take(blank)
      const quoted = this.take(quotedText)
      parts.push(quoted === "" ? this.take(bareKey) : String(decoded(quoted)))
      this.take(blank)
    } while (this.isNext("."))
    return parts
  }

  private entry(section: Section, above: ReadonlyArray<string>, within: Entry | undefined): void {
    const from = this.at
    const path = [...above, ...this.path()]
    const key = { from, to: this.at }
    this.isNext("=")
    this.take(blank)
    const value = { from: this.at, to: this.at }
    const isInlineTable = this.text[this.at] === "{"
    const entry: Entry = { path, section, key, value, isInlineTable, within }
    this.entries.push(entry)
    if (isInlineTable) this.inlineTable(entry)
    else this.skipValue()
    value.to = this.at
    this.take(blank)
  }

  private inlineTable(outer: Entry): void {
    this.isNext("{")
    this.take(blank)
    while (!this.isNext("}") && this.at < this.text.length) {
      this.entry(outer.section, outer.path, outer)
      if (this.isNext(",")) this.take(blank)
    }
  }

  /** Skips a value: those in a list have no place of their own. */
  private skipValue(): void {
    if (this.take(quotedText) !== "") return
    const close = this.isNext("[") ? "]" : this.isNext("{") ? "}" : undefined
    if (close === undefined) {
      this.take(bareValue)
      return
    }
    for (this.take(between); !this.isNext(close) && this.at < this.text.length; this.take(between)) {
      if (close === "}") {
        this.path()
        this.isNext("=")
        this.take(blank)
      }
      this.skipValue()
      this.take(between)
      this.isNext(",")
    }
  }
}

export const placesIn = (text: string): Places => new Reader(text).read()

const lineOf = (text: string, place: Span | undefined): number | undefined =>
  place === undefined ? undefined : text.slice(0, place.from).split("\n").length

/** The line of an item of a list of tables, or of a key in it; for a list in one line, the line of the list. */
export const lineOfItem = (
  text: string,
  { entries, sections }: Places,
  list: string,
  index: number,
  name: string | undefined
): number | undefined => {
  const section = sections.filter(({ path, isRepeated }) => isRepeated && isAt(path, [list]))[index]
  const entry =
    section === undefined
      ? entries.find(({ path }) => isAt(path, [list]))
      : entries.find((each) => each.section === section && each.path[1] === name)
  return lineOf(text, entry?.key ?? section?.span)
}

/** The line of a key, or of the nearest one. */
export const lineOfKey = (
  text: string,
  { entries, sections }: Places,
  path: ReadonlyArray<string>
): number | undefined => {
  const entry = entries.find((each) => isAt(each.path, path))
  const section = sections.find((each) => each.path.length > 0 && isAt(each.path, path))
  const below = [...sections, ...entries].find((each) => each.path.length > 0 && isBelow(each.path, path))
  return lineOf(text, entry?.key ?? section?.span ?? (below && "key" in below ? below.key : below?.span))
}
