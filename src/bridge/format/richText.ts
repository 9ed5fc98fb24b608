/**
 * Markdown → text with marks. No word is lost: what has no mark of its own (HTML, a rule, the address of a link that may
 * not be pressed) is text.
 */
import type { MarkedToken, Tokens } from "marked"
import type { RichText } from "./entities.ts"
import { readMarkdown } from "./lexer.ts"
import { readable } from "./links.ts"
import { type Page, writeSpans } from "./spans.ts"
import { cellsOf, tableText } from "./table.ts"
import { makeWriter, type Writer } from "./writer.ts"

/** As it is read aloud: without marks and the addresses of links. */
export const plainText = (markdown: string): string => richText(markdown).text

const folded = (text: string) => text.normalize("NFC").replace(/\s+/g, " ").trim()

/** Unit for unit: only the form of letters and the white space between words may differ. */
export const sameText = (a: string, b: string): boolean => folded(a) === folded(b)

/** The name of a language, as fences give it: one word. */
const isLanguage = (info: string) => /^[\w+#./-]{1,32}$/.test(info)

const writeCode = (writer: Writer, text: string, info: string) => {
  const code = text.replace(/\n$/, "")
  if (isLanguage(info)) return writer.pre(code, info)
  // An info string that is not a language becomes the first line of the code.
  writer.pre(info === "" ? code : `${info}\n${code}`)
}

const itemMarker = (list: Tokens.List, item: Tokens.ListItem, at: number): string => {
  const number = list.ordered ? `${Number(list.start) + at}. ` : ""
  if (item.task) return `${number}${item.checked ? "☑" : "☐"} `
  return number || "• "
}

/** `isKnown`: the address of a definition is that of a link, so that it need not be shown. */
const makeBlocks = (page: Page, isKnown: (href: string) => boolean) => {
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
      // As in `lexer.ts`: there are only marked's own tokens.
      const content = (token.tokens as ReadonlyArray<MarkedToken>).filter(({ type }) => type !== "checkbox")
      const [first, ...others] = content
      // In a loose list the box stands in the text, too.
      if (token.task && token.loose && first?.type === "paragraph") {
        inline(first.text.replace(/^\[[ xX]\] /, ""))
        return blocks(others, 2, 2)
      }
      blocks(content, 0, token.loose ? 2 : 1)
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
        // As above.
        return writer.within({ type: "blockquote" }, () => blocks(token.tokens as Array<MarkedToken>, 0, 2))
      case "list":
        return list(token)
      case "table":
        return table(token)
      case "hr":
        return writer.write("———")
      case "def":
        return isKnown(token.href) ? undefined : writer.write(token.raw.trim())
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

const asWritten = (text: string) => text.replace(/^\n+|\s+$/g, "")

export const richText = (markdown: string): RichText => {
  const reading = readMarkdown(readable(markdown))
  // All definitions of links are known before the first link is read.
  const read = reading.parts.map((part) => ({ part, tokens: part.type === "markdown" && reading.blocks(part.text) }))

  const write = (known: ReadonlySet<string> | undefined) => {
    const page = { reading, writer: makeWriter(), linked: new Set<string>() }
    let hasDefinitions = false
    const blocks = makeBlocks(page, (href) => {
      hasDefinitions = true
      return known?.has(href) === true
    })
    for (const { part, tokens } of read) {
      page.writer.separate(2)
      if (part.type === "code") writeCode(page.writer, part.text, part.info)
      else if (tokens) blocks(tokens, 2, 2)
      else page.writer.write(asWritten(part.text))
    }
    return { rich: page.writer.finish(), linked: page.linked, hasDefinitions }
  }

  const { rich, linked, hasDefinitions } = write(undefined)
  // Which definitions are used is known once all links are written.
  return hasDefinitions ? write(linked).rich : rich
}
