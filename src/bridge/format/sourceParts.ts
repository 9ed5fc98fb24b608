/**
 * A Markdown text in parts that are read one by one, so that reading takes a time that grows with the text alone. A part
 * ends at an empty line before text at the margin, outside of code; a long block of code is a part of its own.
 */
import { type Fence, fencesOf } from "./fences.ts"

/** All in characters. From here on a part ends at the next good place. */
const goodLength = 8 * 1024
/** Ends at any line. */
const maxLength = 16 * 1024
/** A block of code that is longer is not read by the lexer. */
const longCode = 8 * 1024
/** What is behind is text as it was written. */
const maxMarkdown = 128 * 1024

export type Part =
  | { readonly type: "markdown" | "written"; readonly text: string }
  | { readonly type: "code"; readonly text: string; readonly info: string }

/** The last place at which a part from `from` may end that is no longer than it may be; else the next one. */
const endOfPart = (source: string, fences: ReadonlyArray<Fence>, from: number, end: number): number => {
  if (end - from <= goodLength) return end
  let fence = 0
  let lastLine = from
  for (let at = from; at < end; ) {
    while ((fences[fence]?.end ?? end) <= at) fence += 1
    const inside = fences[fence]
    if (inside !== undefined && inside.start < at) {
      at = Math.min(inside.end, end)
      continue
    }
    if (at > from && at - from > maxLength) return lastLine > from ? lastLine : at
    const isGood = source.startsWith("\n\n", at - 2) && /\S/.test(source[at] ?? "")
    if (at - from >= goodLength && isGood) return at
    lastLine = at
    const feed = source.indexOf("\n", at)
    at = feed === -1 || feed >= end ? end : feed + 1
  }
  return end
}

export const sourceParts = (source: string): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  const fences = fencesOf(source)
  const long = fences.filter((fence) => fence.to - fence.from > longCode && /^ {0,3}[`~]/.test(fence.marks))

  const addMarkdown = (start: number, stop: number) => {
    const end = Math.min(stop, Math.max(start, maxMarkdown))
    for (let from = start; from < end; ) {
      const next = endOfPart(source, fences, from, end)
      parts.push({ type: "markdown", text: source.slice(from, next) })
      from = next
    }
    if (end < stop) parts.push({ type: "written", text: source.slice(end, stop) })
  }

  let from = 0
  for (const fence of long) {
    addMarkdown(from, fence.start)
    parts.push({ type: "code", text: source.slice(fence.from, fence.to), info: fence.info })
    from = fence.end
  }
  addMarkdown(from, source.length)
  return parts
}
