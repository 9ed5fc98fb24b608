/**
 * An unfinished answer, as rows for a terminal; pure. A block leaves it when the next one has begun with a whole line, a row of
 * code at once: written rows never change, and any cutting into pieces gives the same rows.
 */
import { lastBlock } from "../../bridge/format/lexer.ts"
import { harmless } from "../../contract/text/harmless.ts"
import type { Surface } from "../style.ts"
import { markdownRows } from "./blockRows.ts"

interface Fence {
  readonly mark: string
  /** A row of its code was written. */
  readonly hasRows: boolean
}

export interface OpenText {
  /** Whole lines of the last block. */
  readonly source: string
  /** The unfinished line. */
  readonly line: string
  /** The code block that the text is in. */
  readonly fence: Fence | undefined
  /** Whether the rows before are of the same block. */
  readonly isContinued: boolean
}

export const noText: OpenText = { source: "", line: "", fence: undefined, isContinued: false }

/** Rows to write, after an empty one unless they continue a block. */
export interface Written {
  readonly rows: ReadonlyArray<string>
  readonly isContinued: boolean
}

type Step = readonly [OpenText, ReadonlyArray<Written>]
/** Longest open block. */
const mostLines = 60
const mostCharacters = 16_384
/** Longest line; a longer one is cut into lines. */
const longestLine = 16_384
/** Longest text that is redrawn below the transcript. */
const mostDrawn = 8_192
const opening = /^ {0,3}(`{3,}|~{3,})([^`]*)$/
const isLanguage = (info: string) => /^[\w+#./-]{0,32}$/.test(info)
const isItem = (line: string) => /^(?:[-*+]|\d{1,9}[.)])\s/.test(line)

const pieces = (open: OpenText, markdown: string, surface: Surface): ReadonlyArray<Written> => {
  const rows = markdown.trim() === "" ? [] : markdownRows(markdown, surface)
  return rows.length === 0 ? [] : [{ rows, isContinued: open.isContinued }]
}

/** At least as many of the same mark, and nothing else. */
const isClosing = (line: string, mark: string): boolean => {
  const indent = line.length - line.trimStart().length
  const bare = line.trim()
  return indent <= 3 && bare.startsWith(mark) && bare.replaceAll(mark.charAt(0), "") === ""
}

const codeLine = (open: OpenText, { mark, hasRows }: Fence, line: string): Step => {
  if (isClosing(line, mark)) return [noText, []]
  return [{ ...open, fence: { mark, hasRows: true } }, [{ rows: [harmless(line)], isContinued: hasRows }]]
}

const fenceLine = (open: OpenText, mark: string, info: string, surface: Surface): Step => {
  const before = pieces(open, open.source, surface)
  // An info string that is not a language becomes the first line of the code.
  if (isLanguage(info)) return [{ ...noText, fence: { mark, hasRows: false } }, before]
  return [{ ...noText, fence: { mark, hasRows: true } }, [...before, { rows: [harmless(info)], isContinued: false }]]
}

/** Start of the last block; of a long list, of its last item. */
const startOfLast = (source: string): { readonly at: number; readonly isSame: boolean } => {
  const last = lastBlock(source)
  const at = last === undefined ? 0 : Math.max(0, source.lastIndexOf(last.raw.trimEnd()))
  if (at > 0) return { at, isSame: false }
  const lines = source.split("\n").slice(0, -1)
  if (lines.length <= mostLines && source.length <= mostCharacters) return { at: 0, isSame: true }
  const item = last?.type === "list" ? lines.findLastIndex(isItem) : 0
  return { at: item > 0 ? lines.slice(0, item).join("\n").length + 1 : source.length, isSame: true }
}

const takeLine = (open: OpenText, line: string, surface: Surface): Step => {
  if (open.fence !== undefined) return codeLine(open, open.fence, line)
  const [, mark, info = ""] = opening.exec(line) ?? []
  if (mark !== undefined) return fenceLine(open, mark, info.trim(), surface)
  const source = `${open.source}${line}\n`
  const { at, isSame } = startOfLast(source)
  if (at === 0) return [{ ...open, source }, []]
  const next = { ...open, source: source.slice(at), isContinued: isSame }
  return [next, pieces(open, source.slice(0, at), surface)]
}

export const addText = (open: OpenText, piece: string, surface: Surface): Step => {
  const [first = "", ...others] = piece.split("\n")
  const all: Array<Written> = []
  const take = (before: OpenText, line: string, rest: string): OpenText => {
    const [next, pieces] = takeLine({ ...before, line: "" }, line, surface)
    for (const each of pieces) all.push(each)
    return { ...next, line: rest }
  }
  const cut = (before: OpenText): OpenText => {
    let now = before
    while (now.line.length > longestLine) {
      // Never splits a surrogate pair.
      const at = /[\ud800-\udbff]/.test(now.line.charAt(longestLine - 1)) ? longestLine - 1 : longestLine
      now = take(now, now.line.slice(0, at), now.line.slice(at))
    }
    return now
  }
  let now = cut({ ...open, line: open.line + first })
  for (const part of others) now = cut(take(now, now.line.replace(/\r$/, ""), part))
  return [now, all]
}

export const endText = (open: OpenText, surface: Surface): ReadonlyArray<Written> => {
  if (open.fence === undefined) return pieces(open, open.source + open.line, surface)
  return open.line === "" ? [] : codeLine(open, open.fence, open.line)[1]
}

/** The last unwritten rows, for below the transcript. */
export const openRows = (open: OpenText, surface: Surface, most: number): ReadonlyArray<string> => {
  const { fence, line } = open
  const visible =
    fence === undefined
      ? { ...open, source: "", line: (open.source + line).slice(-mostDrawn) }
      : { ...open, line: line.slice(0, mostDrawn) }
  const rows = endText(visible, surface).flatMap((pieces) => pieces.rows)
  return rows.slice(Math.max(0, rows.length - most))
}
