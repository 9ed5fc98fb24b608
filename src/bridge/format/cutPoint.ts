/** Where a text is cut: at a paragraph, else a line, a space, or between characters; outside of code if possible. */
import { graphemesOf } from "../../contract/text/graphemes.ts"
/** A block of code: no line feed in it is taken while there is one outside. */
export interface Span {
  readonly start: number
  /** Behind its last unit. */
  readonly end: number
  /** The first line feed at which it may be cut, or later. */
  readonly from: number
  /** Behind the last one. */
  readonly to: number
}

export interface CutPoint {
  /** White space, if it is not `hard`, begins here. */
  readonly at: number
  readonly kind: "paragraph" | "line" | "codeLine" | "space" | "hard"
}

/** Enough to see that a character goes on. */
const lookahead = 32

/** Below U+0300 each unit is a character by itself, but for a line end of Windows. */
const isBorder = (text: string, at: number) =>
  text.charCodeAt(at - 1) < 0x300 && text.charCodeAt(at) < 0x300 && !text.startsWith("\r\n", at - 1)

/** The last border of a character in (from, to]; of a code point, where the character is longer; else `to`. */
const characterEnd = (text: string, from: number, to: number): number => {
  if (to >= text.length) return text.length
  if (isBorder(text, to)) return to
  const start = graphemesOf(text.slice(from, to + lookahead)).containing(to - from)?.index ?? 0
  if (start > 0) return from + start
  const splitsPair = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(to - 1, to + 1))
  return splitsPair && to - 1 > from ? to - 1 : to
}

/** Whether the space at `at` is a character by itself, with nothing on top of it. */
const isBare = (text: string, from: number, at: number) =>
  characterEnd(text, from, at) === at && characterEnd(text, from, at + 1) === at + 1

/** The last of the sorted spans that begins at or before `at`, if `at` is in it. */
export const spanAt = <A extends Pick<Span, "start" | "end">>(spans: ReadonlyArray<A>, at: number): A | undefined => {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle]?.start ?? 0) <= at) low = middle + 1
    else high = middle
  }
  const span = spans[low - 1]
  return span !== undefined && at < span.end ? span : undefined
}

/** A heading, which stays with what follows it. */
export interface Heading {
  readonly start: number
  /** Behind the line feeds at its end. */
  readonly end: number
}

/** `to`: how far the text fits; what begins there may be white space. */
export const cutPoint = (
  text: string,
  from: number,
  to: number,
  code: ReadonlyArray<Span>,
  headings: ReadonlyArray<Heading>
): CutPoint => {
  const window = text.slice(from, to + 2)
  // A piece must not consist of white space.
  const blank = Math.max(0, window.search(/\S/))
  const least = blank < to - from ? blank : 0
  /** The last place of a text in (from, to] that is good. */
  const last = (pattern: string, isGood: (at: number) => number | true): number | undefined => {
    let at = window.lastIndexOf(pattern, to - from)
    while (at > least) {
      const verdict = isGood(from + at)
      if (verdict === true) return from + at
      at = verdict - from <= least ? -1 : window.lastIndexOf(pattern, verdict - from - 1)
    }
    return undefined
  }
  const outside = (at: number) => spanAt(code, at)?.start ?? true
  const beforeHeading = (at: number) => spanAt(code, at)?.start ?? spanAt(headings, at)?.start ?? true
  const inside = (at: number) => {
    const span = spanAt(code, at)
    return span !== undefined && at >= span.from && at < span.to ? true : at
  }
  const bare = (at: number) => isBare(text, from, at) || at

  /** At the end of a paragraph, or else of a line. */
  const lineEnd = (isGood: (at: number) => number | true): CutPoint | undefined => {
    const paragraph = last("\n\n", isGood)
    if (paragraph !== undefined) return { at: paragraph, kind: "paragraph" }
    const line = last("\n", isGood)
    return line === undefined ? undefined : { at: line, kind: "line" }
  }

  const good = lineEnd(beforeHeading)
  if (good !== undefined) return good
  const codeLine = last("\n", inside)
  if (codeLine !== undefined) return { at: codeLine, kind: "codeLine" }
  const space = last(" ", bare)
  if (space !== undefined) return { at: space, kind: "space" }
  return lineEnd(outside) ?? { at: characterEnd(text, from, to), kind: "hard" }
}
