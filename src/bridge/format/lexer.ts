/**
 * Markdown → the tokens of `marked` (GFM), in bounded time and depth. Its rules look at the rest of the text for each
 * block and mark, so it gets parts, cut where a reader sees no difference. Parts on which it fails are text.
 */
import { Lexer, type MarkedToken, Tokenizer, type Tokens } from "marked"
import { harmless } from "../../contract/text/harmless.ts"
import { type Fence, fencesOf } from "./fences.ts"
import { cellsOf } from "./table.ts"

/** All in characters. From here on a part ends at the next good place. */
const goodLength = 8 * 1024
/** Ends at any line. */
const maxLength = 16 * 1024
/** A block of code that is longer is not read by the lexer. */
const longCode = 8 * 1024
/** Longer Markdown continues as plain text. */
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

/** Bounds of a paragraph that is read at once; a larger one is cut at a line, else at a space. */
const longestInline = 4_096
const maxMarks = 256

const isMark = (character: string) => "*_~[]<`!&@\\".includes(character)

/** Not between the halves of a character. */
const betweenCharacters = (text: string, at: number) => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at)

/** Where the part that begins at `from` ends. */
const endOfInline = (text: string, from: number): number => {
  let [line, freeSpace, space, marks, brackets, ticks] = [0, 0, 0, 0, 0, 0]
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at)
    if (isMark(character)) marks += 1
    if (marks > maxMarks || at - from >= longestInline) return line || freeSpace || space || betweenCharacters(text, at)
    if (character === "[" || character === "(") brackets += 1
    if (character === "]" || character === ")") brackets -= 1
    if (character === "`") ticks += 1
    if (at === from) continue
    if (character === "\n") line = at
    if (character === " ") space = at
    if (character === " " && brackets === 0 && ticks % 2 === 0) freeSpace = at
  }
  return text.length
}

export const inlineParts = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (let from = 0; from < text.length; ) {
    const end = endOfInline(text, from)
    parts.push(text.slice(from, end))
    from = end
  }
  return parts
}

/** Lists and quotations inside each other; what is deeper is text. */
const maxDepth = 16

export interface Reading {
  readonly parts: ReadonlyArray<Part>
  /** The blocks of a part; none where they cannot be read. */
  readonly blocks: (source: string) => ReadonlyArray<MarkedToken> | undefined
  /** Knows the definitions of links in all blocks that were read before. */
  readonly spans: (text: string) => ReadonlyArray<MarkedToken>
}

/** As many columns in the second line as in the first. */
const beginsTable = (source: string): boolean => {
  const [, header = "", rule = ""] = /^([^\n]*)\n([ \t:|-]*)(?:\n|$)/.exec(source) ?? []
  return /[|:]/.test(rule) && cellsOf(header).length === cellsOf(rule).length
}

const boundedTokenizer = (): Tokenizer => {
  const tokenizer = new Tokenizer()
  let depth = 0
  const bounded =
    <A>(read: (source: string) => A | undefined) =>
    (source: string): A | undefined => {
      if (depth === maxDepth) return undefined
      depth += 1
      try {
        return read(source)
      } finally {
        depth -= 1
      }
    }
  // Its rule reads all lines below it before it counts the columns.
  const table = tokenizer.table.bind(tokenizer)
  tokenizer.table = (source) => (beginsTable(source) ? table(source) : undefined)
  tokenizer.blockquote = bounded(tokenizer.blockquote.bind(tokenizer))
  tokenizer.list = bounded(tokenizer.list.bind(tokenizer))
  return tokenizer
}

const textToken = (text: string): MarkedToken => ({ type: "text", raw: text, text })

const readMarkdown = (source: string): Reading => {
  const lexer = new Lexer({ gfm: true, tokenizer: boundedTokenizer() })

  const blocks = (part: string) => {
    lexer.state.top = true
    lexer.inlineQueue = []
    try {
      // Without extensions there are only marked's own tokens.
      return lexer.blockTokens(part, []) as Array<MarkedToken>
    } catch {
      return undefined
    }
  }

  const span = (part: string): ReadonlyArray<MarkedToken> => {
    Object.assign(lexer.state, { inLink: false, inRawBlock: false, linkEmitted: false })
    try {
      // As above.
      return lexer.inlineTokens(part, []) as Array<MarkedToken>
    } catch {
      return [textToken(part)]
    }
  }

  return { parts: sourceParts(source), blocks, spans: (text) => inlineParts(text).flatMap(span) }
}

export const asWritten = (text: string) => text.replace(/^\n+|\s+$/g, "")

/** Text and language of a block of code. An info string that is not a language becomes the first line. */
export const codeOf = (source: string, info: string) => {
  const text = source.replace(/\n$/, "")
  if (/^[\w+#./-]{1,32}$/.test(info)) return { text, language: info }
  return { text: info === "" ? text : `${info}\n${text}`, language: undefined }
}

/** The blocks of an item; in a loose list, `text` is that of a task: there the box stands in the text, too. */
export const itemContent = ({ tokens, task, loose }: Tokens.ListItem) => {
  // Without extensions there are only marked's own tokens.
  const rest = (tokens as ReadonlyArray<MarkedToken>).filter(({ type }) => type !== "checkbox")
  const [first, ...others] = rest
  if (!task || !loose || first?.type !== "paragraph") return { text: undefined, rest }
  return { text: first.text.replace(/^\[[ xX]\] /, ""), rest: others }
}

interface ReadPart {
  readonly part: Part
  readonly tokens: ReadonlyArray<MarkedToken> | false | undefined
}

/** Makes a document of Markdown; twice if it defines links, since a definition that is used need not be shown. */
export const readDocument = <A>(
  markdown: string,
  make: (
    reading: Reading,
    read: ReadonlyArray<ReadPart>,
    /** Gets the addresses of the links that are met. */
    linked: Set<string>,
    isUsed: (href: string) => boolean
  ) => A
): A => {
  const reading = readMarkdown(readable(markdown))
  // All definitions of links are known before the first link is read.
  const read = reading.parts.map((part) => ({ part, tokens: part.type === "markdown" && reading.blocks(part.text) }))
  const linked = new Set<string>()
  let hasDefinitions = false
  const first = make(reading, read, linked, () => {
    hasDefinitions = true
    return false
  })
  return hasDefinitions ? make(reading, read, new Set(), (href) => linked.has(href)) : first
}

// Links that may be pressed. All others stay text: `src/a.ts` is a file, not a host.

/** Caught, so that `split` keeps them: they are at the odd places. */
const joiners = /((?<=[\p{L}\p{M}])[\u200c\u200d](?=\p{L}))/u

export const readable = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .split(joiners)
    .map((part, at) => (at % 2 === 1 ? part : harmless(part)))
    .join("")

/** In characters; a longer address stays text. */
const longestAddress = 2_048

/** A name with a dot inside it, or an address in numbers. */
const isDottedHost = (host: string) => /^[^.:[\]]+(?:\.[^.:[\]]+)+\.?$/.test(host)

/** In `https://bank.example@host/` a person sees another host. */
const isWeb = (url: URL) => isDottedHost(url.hostname) && url.username === "" && url.password === ""

const isAllowed = (url: URL) => {
  if (url.protocol === "http:" || url.protocol === "https:") return isWeb(url)
  if (url.protocol === "mailto:") return url.pathname.includes("@")
  return url.protocol === "tg:"
}

/** The address as a link, in printable ASCII; none where it stays text. */
export const linkUrl = (href: string): string | undefined => {
  if (href.length > longestAddress || !/^(?:https?:\/\/|mailto:|tg:)/i.test(href)) return undefined
  const url = URL.parse(href)
  if (url === null || !isAllowed(url)) return undefined
  return /^[\x21-\x7e]+$/.test(href) ? href : url.href
}

// The block in which a Markdown text ends, as its reader sees it: it may have begun long before.

export interface Block {
  /** As `marked` names it; `code` of a block that is too long for it, too. */
  readonly type: string
  /** As it is written. */
  readonly raw: string
}

/** Returns undefined if it is plain text. */
export const lastBlock = (source: string): Block | undefined => {
  const { parts, blocks } = readMarkdown(source)
  const last = parts.at(-1)
  if (last === undefined || last.type === "written") return undefined
  if (last.type === "code") return { type: "code", raw: source.slice(fencesOf(source).at(-1)?.start) }
  return blocks(last.text)?.findLast(({ type }) => type !== "space")
}
