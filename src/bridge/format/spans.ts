/** The marks inside a paragraph: styles, code, links, pictures. */
import type { MarkedToken, Tokens } from "marked"
import { linkUrl, type Reading, readable } from "./lexer.ts"
import type { Writer } from "./writer.ts"

const names: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " }

/** The lexer has read `&#65;`, of which anything can come; the names that models write are read here. */
export const decoded = (text: string): string =>
  text.includes("&") || /[^\x20-\x7e]/.test(text)
    ? readable(text.replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (match, name: string) => names[name] ?? match))
    : text

const textWithoutIndent = (text: string) => text.replace(/\n[ \t]+/g, "\n")

/** A text that is written, and the addresses of the links that were met in it. */
export interface Page {
  readonly reading: Reading
  readonly writer: Writer
  readonly linked: Set<string>
}

/** `addresses`: without marks, the address of a link follows its text. */
export const writeSpans = (page: Page, text: string, links: "marks" | "addresses" = "marks"): void => {
  const { reading, writer, linked } = page

  const style = (type: "bold" | "italic" | "strikethrough", tokens: ReadonlyArray<unknown>) =>
    writer.within({ type }, () => spans(tokens))

  /** Behind a link's text; the text is enough where it says the same. */
  const address = (href: string, label: string) => {
    if (href === "" || href === label) return
    writer.write(" (")
    writer.code(href)
    writer.write(")")
  }

  const link = (token: Tokens.Link | Tokens.Image) => {
    linked.add(token.href)
    const href = decoded(token.href)
    const url = writer.isWithin("link") ? undefined : linkUrl(href)
    const isBare = token.type === "link" && token.text === token.href
    if (url === undefined || links === "addresses") {
      if (isBare || token.text === "") writer.code(href)
      else {
        label(token)
        if (token.href !== `mailto:${token.text}`) address(href, token.text)
      }
    } else {
      writer.within({ type: "link", url }, () => (token.text === "" || isBare ? writer.write(href) : label(token)))
    }
    if (token.title) writer.write(` (${decoded(token.title)})`)
  }

  const label = (token: Tokens.Link | Tokens.Image) =>
    token.type === "image" ? writer.write(decoded(token.text)) : spans(token.tokens)

  const span = (token: MarkedToken) => {
    switch (token.type) {
      case "strong":
        return style("bold", token.tokens)
      case "em":
        return style("italic", token.tokens)
      case "del":
        return style("strikethrough", token.tokens)
      case "codespan":
        return writer.code(token.text)
      case "br":
        return writer.write("\n")
      case "link":
      case "image":
        return link(token)
      case "html":
        return writer.write(/^<br\s*\/?>$/i.test(token.raw) ? "\n" : token.raw)
      case "text":
      case "escape":
        return writer.write(textWithoutIndent(decoded(token.text)))
      default:
        return writer.write(token.raw)
    }
  }

  const spans = (tokens: ReadonlyArray<unknown>) => {
    // As in `lexer.ts`: there are only marked's own tokens.
    for (const token of tokens as ReadonlyArray<MarkedToken>) span(token)
  }

  spans(reading.spans(text))
}
