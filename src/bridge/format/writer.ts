/** Puts text and marks together in one pass. Marks never cross: code ends the styles around it and begins them anew. */
import { byOffset, type Entity, type Mark, type RichText, trimmedEntity } from "./entities.ts"

export interface Writer {
  /** Text as it stands; a line feed begins a line with the indent. */
  readonly write: (text: string) => void
  /** At least so many line feeds before what is written next, unless it is the first. */
  readonly separate: (lines: number) => void
  readonly code: (text: string) => void
  /** A block of code, without the indent. */
  readonly pre: (text: string, language?: string) => void
  readonly within: (mark: Mark, body: () => void) => void
  /** The marker of a list's item, and what is below it. */
  readonly item: (marker: string, body: () => void) => void
  readonly isWithin: (type: Mark["type"]) => boolean
  readonly finish: () => RichText
}

interface Open {
  readonly mark: Mark
  /** Known once something is written. */
  start: number | undefined
}

export const makeWriter = (): Writer => {
  const parts: Array<string> = []
  const entities: Array<Entity> = []
  const open: Array<Open> = []
  let length = 0
  let gap = 0
  let indent = ""

  const add = (text: string) => {
    parts.push(text)
    length += text.length
  }

  /** Ends the line before, and begins what is open here. */
  const begin = (ownIndent: string) => {
    if (gap > 0 && length > 0) add("\n".repeat(gap))
    if (gap > 0 || length === 0) add(ownIndent)
    gap = 0
    for (const style of open) style.start ??= length
  }

  const mark = (of: Mark, start: number | undefined) => {
    if (start !== undefined && length > start) entities.push({ ...of, offset: start, length: length - start })
  }

  const isWithin = (type: Mark["type"]) => open.some((other) => other.mark.type === type)

  const line = (text: string) => {
    if (text === "") return
    begin(indent)
    add(text)
  }

  const write = (text: string) => {
    for (const [at, part] of text.split("\n").entries()) {
      if (at > 0) gap += 1
      line(part)
    }
  }

  /** Writes code: no style extends over it. */
  const apart = (of: Mark, text: string) => {
    const styles = open.filter((other) => other.mark.type !== "blockquote")
    for (const style of styles) mark(style.mark, style.start)
    const start = length
    add(text)
    mark(of, start)
    for (const style of styles) style.start = undefined
  }

  const code = (text: string) => {
    if (text === "" || isWithin("link")) return line(text)
    begin(indent)
    apart({ type: "code" }, text)
  }

  const pre = (text: string, language?: string) => {
    if (length > 0) gap = Math.max(gap, 1)
    begin("")
    apart(language === undefined ? { type: "pre" } : { type: "pre", language }, text)
    gap = 1
  }

  const within = (of: Mark, body: () => void) => {
    if (isWithin(of.type)) return body()
    const here: Open = { mark: of, start: undefined }
    open.push(here)
    body()
    open.pop()
    mark(of, here.start)
  }

  const item = (marker: string, body: () => void) => {
    begin(indent)
    add(marker)
    const outer = indent
    indent += " ".repeat(marker.length)
    body()
    indent = outer
  }

  const finish = (): RichText => {
    const text = parts.join("")
    const inner = entities.toReversed().flatMap((entity) => trimmedEntity(text, entity))
    return { text, entities: inner.sort(byOffset) }
  }

  const separate = (lines: number) => {
    gap = Math.max(gap, lines)
  }

  return { write, separate, code, pre, within, item, isWithin, finish }
}
