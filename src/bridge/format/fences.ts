/** Where the fenced blocks of code of a Markdown text are; one pass over its lines. */

export interface Fence {
  /** Start of the opening line. */
  readonly start: number
  /** Start of the code. */
  readonly from: number
  /** Start of the closing line, or the end of the text. */
  readonly to: number
  /** Behind the closing line. */
  readonly end: number
  /** The opening line for a second time, without its info string and its line feed. */
  readonly marks: string
  readonly info: string
}

/** Allowed before a fence: marks of quotations, an item of a list, blanks. */
const opening = /^((?:[ \t]*>)*[ \t]*)((?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)$/
const closing = /^(?:[ \t]*>)*[ \t]*(`{3,}|~{3,})[ \t]*$/

interface Line {
  readonly start: number
  /** Behind its line feed. */
  readonly end: number
  readonly text: string
}

function* linesOf(text: string): Generator<Line> {
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf("\n", start)
    const end = feed === -1 ? text.length : feed + 1
    yield { start, end, text: text.slice(start, feed === -1 ? end : feed) }
    start = end
  }
}

/** Only a line of this look can be one of a fence: few are. */
const isCandidate = (line: string) => line.includes("```") || line.includes("~~~")

type Opened = Pick<Fence, "start" | "from" | "marks" | "info"> & { readonly fence: string }

const openedBy = (line: Line): Opened | undefined => {
  const [, before, item, fence, info] = opening.exec(line.text) ?? []
  if (before === undefined || fence === undefined || info === undefined) return undefined
  if (fence.startsWith("`") && info.includes("`")) return undefined
  const marks = before + " ".repeat(item?.length ?? 0) + fence
  return { start: line.start, from: line.end, marks, info: info.trim(), fence }
}

const isClosedBy = (open: Opened, line: string) => {
  const [, fence] = closing.exec(line) ?? []
  return fence?.startsWith(open.fence) === true
}

const isQuoted = (line: string) => /^[ \t]*>/.test(line)

/** Four blanks make code by themselves: only a pair of fences says more. */
const needsNoEnd = ({ marks }: Opened) => /^ {0,3}[^ \t]/.test(marks)

/** A block without a closing fence continues to the end. `begun`: the text begins inside this block. */
export const fencesOf = (text: string, begun?: Pick<Fence, "marks" | "info">): ReadonlyArray<Fence> => {
  const fences: Array<Fence> = []
  let open: Opened | undefined = begun && { ...begun, start: 0, from: 0, fence: begun.marks.replace(/^[^`~]*/, "") }
  const close = (to: number, end: number) => {
    if (open !== undefined) fences.push({ ...open, to, end })
    open = undefined
  }
  for (const line of linesOf(text)) {
    if (open?.marks.includes(">") && !isQuoted(line.text)) close(line.start, line.start)
    if (!isCandidate(line.text)) continue
    if (open === undefined) open = openedBy(line)
    else if (isClosedBy(open, line.text)) close(line.start, line.end)
  }
  if (open !== undefined && (begun?.marks === open.marks || needsNoEnd(open))) close(text.length, text.length)
  return fences
}
