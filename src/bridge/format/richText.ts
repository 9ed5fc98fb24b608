/** Markdown → text with marks. No word is lost: what has no mark of its own (HTML, a rule, an address) is text. */
import type { MarkedToken, Tokens } from "marked"
import type { RichText } from "./entities.ts"
import { asWritten, codeOf, itemContent, readDocument } from "./lexer.ts"
import { type Page, writeSpans } from "./spans.ts"
import { cellsOf, tableText } from "./table.ts"
import { makeWriter, type Writer } from "./writer.ts"

/** As it is read aloud: without marks and the addresses of links. */
export const plainText = (markdown: string): string => richText(markdown).text

const folded = (text: string) => text.normalize("NFC").replace(/\s+/g, " ").trim()

/** Unit for unit: only the form of letters and the white space between words may differ. */
export const sameText = (a: string, b: string): boolean => folded(a) === folded(b)

const writeCode = (writer: Writer, source: string, info: string) => {
  const { text, language } = codeOf(source, info)
  writer.pre(text, language)
}

const itemMarker = (list: Tokens.List, item: Tokens.ListItem, at: number): string => {
  const number = list.ordered ? `${Number(list.start) + at}. ` : ""
  if (item.task) return `${number}${item.checked ? "☑" : "☐"} `
  return number || "• "
}

const makeBlocks = (page: Page, isUsed: (href: string) => boolean) => {
  const { writer } = page
  const inline = (text: string) => writeSpans(page, text.trim())

  const cell = (text: string) => {
    const own = makeWriter()
    writeSpans({ ...page, writer: own }, text, "addresses")
    return own.finish().text.replace(/\s*\n\s*/g, " ")
  }

  const table = (token: Tokens.Table) => {
    const [header = "", , ...body] = token.raw.replace(/\n+$/, "").split("\n")
    const rows = [header, ...body].map((row) => cellsOf(row).map(cell))
    writer.pre(tableText(rows, token.align, token.raw.length))
  }

  const item = (list: Tokens.List, token: Tokens.ListItem, at: number) => {
    writer.item(itemMarker(list, token, at), () => {
      const { text, rest } = itemContent(token)
      if (text === undefined) return blocks(rest, 0, token.loose ? 2 : 1)
      inline(text)
      blocks(rest, 2, 2)
    })
  }

  const list = (token: Tokens.List) => {
    for (const [at, each] of token.items.entries()) {
      if (at > 0) writer.separate(token.loose ? 2 : 1)
      item(token, each, at)
    }
  }

  const block = (token: MarkedToken) => {
    switch (token.type) {
      case "heading":
        return writer.within({ type: "bold" }, () => inline(token.text))
      case "paragraph":
      case "text":
        return inline(token.text)
      case "code":
        return token.text.trim() === ""
          ? writer.write(token.raw.trim())
          : writeCode(writer, token.text, token.lang?.trim() ?? "")
      case "blockquote":
        // As in `lexer.ts`: there are only marked's own tokens.
        return writer.within({ type: "blockquote" }, () => blocks(token.tokens as Array<MarkedToken>, 0, 2))
      case "list":
        return list(token)
      case "table":
        return table(token)
      case "hr":
        return writer.write("———")
      case "def":
        return isUsed(token.href) ? undefined : writer.write(token.raw.trim())
      default:
        return writer.write(asWritten(token.raw))
    }
  }

  /** `before` and `between`: line feeds. */
  const blocks = (tokens: ReadonlyArray<MarkedToken>, before: number, between: number) => {
    let lines = before
    for (const token of tokens) {
      if (token.type === "space" || token.type === "checkbox") continue
      writer.separate(lines)
      block(token)
      lines = between
    }
  }

  return blocks
}

export const richText = (markdown: string): RichText =>
  readDocument(markdown, (reading, read, linked, isUsed) => {
    const writer = makeWriter()
    const blocks = makeBlocks({ reading, writer, linked }, isUsed)
    for (const { part, tokens } of read) {
      writer.separate(2)
      if (part.type === "code") writeCode(writer, part.text, part.info)
      else if (tokens) blocks(tokens, 2, 2)
      else writer.write(asWritten(part.text))
    }
    return writer.finish()
  })
