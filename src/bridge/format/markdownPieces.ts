/** The next piece of a Markdown text. A block of code that is cut is closed, and opened again in the next piece. */
import { type CutPoint, cutPoint, type Heading, type Span, spanAt } from "./cutPoint.ts"
import { type Fence, fencesOf } from "./fences.ts"

/** The beginning of a block of code, as needed to open it again. */
export type Opening = Pick<Fence, "marks" | "info">

export interface MarkdownPiece {
  /** The line that opens the block of code again; else empty. */
  readonly before: string
  readonly text: string
  /** Text that closes it; else empty. */
  readonly after: string
  /** The block that was cut. */
  readonly inside?: Opening
}

/** The marks take up to half of a piece: first the info string is left out, then the marks. */
const marksOf = ({ marks, info }: Opening, limit: number): readonly [open: string, close: string] => {
  for (const open of [`${marks}${info}\n`, `${marks}\n`]) {
    if (2 * (open.length + marks.length + 1) <= limit) return [open, marks]
  }
  return ["", ""]
}

export const openedAgain = (inside: Opening | undefined, limit: number): string =>
  inside === undefined ? "" : marksOf(inside, limit)[0]

export const closedBehind = (text: string, inside: Opening, limit: number): string => {
  const [, close] = marksOf(inside, limit)
  return close === "" || text.endsWith("\n") ? close : `\n${close}`
}

interface CodeSpan extends Span {
  readonly fence: Fence
}

/** Without the line feed at its end. Cut only between two visible characters: fences around blanks make no code. */
const spanOf = (source: string, fence: Fence): CodeSpan => {
  const { start, from, to, end } = fence
  const body = source.slice(from, to)
  const first = from + Math.max(0, body.search(/\S/))
  const endsLine = end > to && source[end - 1] === "\n"
  return { start, end: endsLine ? end - 1 : end, from: first + 1, to: from + body.trimEnd().length, fence }
}

/** Behind the line feeds that begin at `at`, as far as they fit. */
const behindFeeds = (source: string, from: number, at: number, furthest: number): number => {
  const [feeds = ""] = /^(?:\r?\n)+/.exec(source.slice(at, furthest)) ?? []
  // Both units of a line end of Windows stay together.
  return feeds === "" && source[at - 1] === "\r" && at - 1 > from ? at - 1 : at + feeds.length
}

export interface Cutting {
  readonly source: string
  readonly limit: number
  readonly fences: ReadonlyArray<Fence>
  readonly spans: ReadonlyArray<CodeSpan>
  readonly headings: ReadonlyArray<Heading>
}

const headingsOf = (source: string, spans: ReadonlyArray<CodeSpan>): ReadonlyArray<Heading> =>
  [...source.matchAll(/^ {0,3}#{1,6}[ \t].*(?:\r?\n)+/gm)].flatMap(({ index, 0: line }) =>
    spanAt(spans, index) === undefined ? [{ start: index, end: index + line.length }] : []
  )

/** `inside`: the text begins in this block of code. */
export const makeCutting = (source: string, limit: number, inside?: Opening): Cutting => {
  const fences = fencesOf(source, inside)
  const spans = fences.map((fence) => spanOf(source, fence))
  return { source, limit, fences, spans, headings: headingsOf(source, spans) }
}

/** Ends by `furthest`, which is in the text, and takes at least one unit. `inside`: what the piece before was cut in. */
export const nextPiece = (
  { source, limit, spans, headings }: Cutting,
  from: number,
  furthest: number,
  inside: Opening | undefined
): MarkdownPiece & { readonly kind: CutPoint["kind"]; readonly end: number } => {
  const before = openedAgain(inside, limit)
  const span = spanAt(spans, furthest)
  const close = span === undefined ? "" : marksOf(span.fence, limit)[1]
  const closeAt = furthest - close.length - 1
  const open = span !== undefined && close !== "" && closeAt > Math.max(from, span.from) ? span : undefined
  // With nothing in front of the block, its first line must not be cut.
  const least = open !== undefined && open.start - 1 <= from ? Math.max(from, open.from - 1) : from
  const mostCode = open === undefined || open.to - 1 <= least ? closeAt : Math.min(closeAt, open.to - 1)
  const to = open === undefined ? furthest : mostCode

  const { at, kind } = cutPoint(source, least, Math.max(least + 1, to), spans, headings)
  const piece = (end: number, isOpen: boolean) => {
    const text = source.slice(from, end)
    if (!isOpen || open === undefined) return { before, text, after: "", kind, end }
    return { before, text, after: closedBehind(text, open.fence, limit), inside: open.fence, kind, end }
  }
  if (kind === "codeLine" && open !== undefined) return piece(at + 1, true)
  if (kind === "space") return piece(at < to ? at + 1 : at, true)
  return kind === "hard" ? piece(at, true) : piece(behindFeeds(source, from, at, furthest), false)
}
