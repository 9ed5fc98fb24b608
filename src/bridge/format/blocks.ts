/**
 * Markdown → blocks; pure, never fails, and bounded by its text. No word is lost: HTML is text, and a table that is too wide
 * for a page is a block of code.
 */
import type { MarkedToken, Tokens } from "marked"
import type { Block, Inline, ListItem } from "./block.ts"
import { inlinesOf } from "./inlines.ts"
import { type Reading, readMarkdown } from "./lexer.ts"
import { readable } from "./links.ts"
import { cellsOf } from "./table.ts"

/** Limit of a table. */
const mostColumns = 60

const isLanguage = (info: string) => /^[\w+#./-]{1,32}$/.test(info)
const asWritten = (text: string) => text.replace(/^\n+|\s+$/g, "")

/** An info string that is not a language becomes the first line of the code. */
const codeBlock = (source: string, info: string): Block => {
  const text = source.replace(/\n$/, "")
  if (isLanguage(info)) return { t: "code", lang: info, text }
  return { t: "code", text: info === "" ? text : `${info}\n${text}` }
}

interface Page {
  readonly reading: Reading
  readonly linked: Set<string>
  /** A definition of a link that is used need not be shown. */
  readonly isUsed: (href: string) => boolean
}

const makeBlocks = ({ reading, linked, isUsed }: Page) => {
  const inline = (text: string) => inlinesOf(reading, text.trim(), linked)
  const paragraph = (c: ReadonlyArray<Inline>): ReadonlyArray<Block> => (c.length === 0 ? [] : [{ t: "p", c }])
  const plain = (text: string) => paragraph(asWritten(text) === "" ? [] : [asWritten(text)])

  const table = (token: Tokens.Table): ReadonlyArray<Block> => {
    const [head = "", , ...body] = token.raw.replace(/\n+$/, "").split("\n")
    const rows = [head, ...body].map(cellsOf)
    if (rows.some((row) => row.length > mostColumns)) return [{ t: "code", text: token.raw.replace(/\n+$/, "") }]
    const [first = [], ...others] = rows.map((row) => row.map(inline))
    return [{ t: "table", align: token.align, head: first, rows: others }]
  }

  const item = (token: Tokens.ListItem): ListItem => {
    // As in `lexer.ts`: there are only marked's own tokens.
    const content = (token.tokens as ReadonlyArray<MarkedToken>).filter(({ type }) => type !== "checkbox")
    if (!token.task) return { c: blocks(content) }
    const [first, ...others] = content
    // In a loose list the box stands in the text, too.
    if (token.loose && first?.type === "paragraph") {
      const text = first.text.replace(/^\[[ xX]\] /, "")
      return { task: token.checked === true, c: [...paragraph(inline(text)), ...blocks(others)] }
    }
    return { task: token.checked === true, c: blocks(content) }
  }

  const list = (token: Tokens.List): Block => {
    const start = Number(token.start)
    const numbered = token.ordered && Number.isSafeInteger(start) && start !== 1 ? { start } : {}
    return { t: "list", ordered: token.ordered, ...numbered, items: token.items.map(item) }
  }

  const block = (token: MarkedToken): ReadonlyArray<Block> => {
    switch (token.type) {
      case "heading":
        return [{ t: "h", n: token.depth, c: inline(token.text) }]
      case "paragraph":
      case "text":
        return paragraph(inline(token.text))
      case "code":
        return token.text.trim() === "" ? plain(token.raw) : [codeBlock(token.text, token.lang?.trim() ?? "")]
      case "blockquote":
        // As above.
        return [{ t: "quote", c: blocks(token.tokens as ReadonlyArray<MarkedToken>) }]
      case "list":
        return [list(token)]
      case "table":
        return table(token)
      case "hr":
        return [{ t: "hr" }]
      case "def":
        return isUsed(token.href) ? [] : plain(token.raw)
      case "space":
      case "checkbox":
        return []
      default:
        return plain(token.raw)
    }
  }

  const blocks = (tokens: ReadonlyArray<MarkedToken>): ReadonlyArray<Block> => tokens.flatMap(block)
  return { blocks, written: plain }
}

export const blocksOf = (markdown: string): ReadonlyArray<Block> => {
  const reading = readMarkdown(readable(markdown))
  // All definitions of links are known before the first link is read.
  const read = reading.parts.map((part) => ({ part, tokens: part.type === "markdown" && reading.blocks(part.text) }))
  const make = (used: ReadonlySet<string> | undefined) => {
    const linked = new Set<string>()
    let hasDefinitions = false
    const isUsed = (href: string) => {
      hasDefinitions = true
      return used?.has(href) === true
    }
    const { blocks, written: plain } = makeBlocks({ reading, linked, isUsed })
    const list = read.flatMap(({ part, tokens }) => {
      if (part.type === "code") return [codeBlock(part.text, part.info)]
      return tokens ? blocks(tokens) : plain(part.text)
    })
    return { list, linked, hasDefinitions }
  }
  const { list, linked, hasDefinitions } = make(undefined)
  return hasDefinitions ? make(linked).list : list
}
