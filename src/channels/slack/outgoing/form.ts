/**
 * Text with marks → a block of rich text, in which nothing is escaped and nobody can be notified; pure. Beside it stands the
 * text that notifications and screen readers say, in Slack's markup, where three characters have a meaning.
 */
import type { Entity, RichText } from "../../../bridge/format/entities.ts"

type Style = Partial<Record<"bold" | "italic" | "strike" | "code", true>>

type Element =
  | { readonly type: "text"; readonly text: string; readonly style?: Style }
  | { readonly type: "link"; readonly url: string; readonly text: string; readonly style?: Style }

type Part = {
  readonly type: "rich_text_section" | "rich_text_preformatted" | "rich_text_quote"
  readonly elements: ReadonlyArray<Element>
}

type RichBlock = {
  readonly type: "rich_text"
  readonly elements: ReadonlyArray<Part>
}

const styles = { bold: "bold", italic: "italic", strikethrough: "strike", code: "code", pre: "code" } as const

const partTypes = { pre: "rich_text_preformatted", blockquote: "rich_text_quote" } as const

interface Span {
  readonly from: number
  readonly to: number
}

const spanOf = ({ offset, length }: Entity): Span => ({ from: offset, to: offset + length })
const isWithin = (inner: Span, outer: Span) => inner.from >= outer.from && inner.to <= outer.to

/** Runs of equal marks. */
const elementsOf = (text: string, entities: ReadonlyArray<Entity>, whole: Span): ReadonlyArray<Element> => {
  const inside = (at: number) => at > whole.from && at < whole.to
  const borders = entities.flatMap((entity) => Object.values(spanOf(entity))).filter(inside)
  const places = [...new Set([whole.from, ...borders, whole.to])].sort((a, b) => a - b)
  return places.slice(1).flatMap((to, index): ReadonlyArray<Element> => {
    const run = { from: places[index] ?? to, to }
    const own = text.slice(run.from, run.to)
    if (own === "") return []
    const marks = entities.filter((entity) => isWithin(run, spanOf(entity)))
    const style: Style = Object.fromEntries(
      marks.flatMap(({ type }) => (type in styles ? [[styles[type as keyof typeof styles], true]] : []))
    )
    const styled = Object.keys(style).length === 0 ? {} : { style }
    const link = marks.find((mark) => mark.type === "link")
    return [
      link === undefined
        ? { type: "text", text: own, ...styled }
        : { type: "link", url: link.url, text: own, ...styled }
    ]
  })
}

/** A line feed at the border of a part is what the part itself shows. */
export const richBlock = ({ text, entities }: RichText): RichBlock => {
  const parts: Array<Part> = []
  const add = (type: Part["type"], span: Span, marks: ReadonlyArray<Entity>) => {
    const elements = elementsOf(text, marks, span)
    if (elements.length > 0) parts.push({ type, elements })
  }
  let at = 0
  const addSection = (end: number) => {
    const from = at > 0 && text[at] === "\n" ? at + 1 : at
    const to = end < text.length && end > from && text[end - 1] === "\n" ? end - 1 : end
    if (to > from) add("rich_text_section", { from, to }, entities)
  }
  for (const entity of entities) {
    // Code in a quotation is a part of it.
    if (!(entity.type in partTypes) || entity.offset < at) continue
    const span = spanOf(entity)
    addSection(span.from)
    add(
      partTypes[entity.type as keyof typeof partTypes],
      span,
      entities.filter((each) => each !== entity && isWithin(spanOf(each), span))
    )
    at = span.to
  }
  addSection(text.length)
  return { type: "rich_text", elements: parts }
}

const signs: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** Slack takes 4,000 bytes in an edit; of a longer text the blocks have all. */
const mostBytes = 3_000

/** As it is sent beside blocks. */
export const notification = (text: string): string => {
  let [written, bytes] = ["", 0]
  for (const character of text) {
    const sign = signs[character] ?? character
    bytes += Buffer.byteLength(sign)
    if (bytes > mostBytes - Buffer.byteLength("…")) return `${written}…`
    written += sign
  }
  return written
}
