/**
 * Markdown → the tokens of `marked` (GFM), in bounded time and depth. Its block rules look at the rest of the text for
 * each block, and its rules of emphasis at the rest of the paragraph for each mark; so it gets the text in parts, cut
 * where a reader sees no difference. What it fails on is text as it was written.
 */
import { Lexer, type MarkedToken, Tokenizer } from "marked"
import { inlineParts } from "./inlineParts.ts"
import { type Part, sourceParts } from "./sourceParts.ts"
import { cellsOf } from "./table.ts"

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

export const readMarkdown = (source: string): Reading => {
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
