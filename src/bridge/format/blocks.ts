/** Markdown → blocks; pure, bounded, and never fails. No word is lost: HTML is text, and a table too wide is code. */
import type { MarkedToken, Tokens } from "marked"
import type { Block, Inline, ListItem } from "./block.ts"
import { inlinesOf } from "./inlines.ts"
import { asWritten, codeOf, itemContent, type Reading, readDocument } from "./lexer.ts"
import { cellsOf } from "./table.ts"

/** Limit of a table. */
const mostColumns = 60

const codeBlock = (source: string, info: string): Block => {
  const { text, language } = codeOf(source, info)
  return language === undefined ? { t: "code", text } : { t: "code", lang: language, text }
}

const makeBlocks = (reading: Reading, linked: Set<string>, isUsed: (href: string) => boolean) => {
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
    const { text, rest } = itemContent(token)
    const c = [...(text === undefined ? [] : paragraph(inline(text))), ...blocks(rest)]
    return token.task ? { task: token.checked === true, c } : { c }
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
        // As in `lexer.ts`: there are only marked's own tokens.
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

export const blocksOf = (markdown: string): ReadonlyArray<Block> =>
  readDocument(markdown, (reading, read, linked, isUsed) => {
    const { blocks, written: plain } = makeBlocks(reading, linked, isUsed)
    return read.flatMap(({ part, tokens }) => {
      if (part.type === "code") return [codeBlock(part.text, part.info)]
      return tokens ? blocks(tokens) : plain(part.text)
    })
  })
