/** Markdown as trees of blocks, as the server sends them, for scripted rows: `marked`'s lexer, without bounds. */
import { lexer, type Token, type Tokens } from "marked"

type Tree = Record<string, unknown>
const isSafe = (href: string) => /^(?:https?:\/\/[^\s/]+\.[^\s]|mailto:\S+@)/i.test(href)

const inlineOf = (token: Token): ReadonlyArray<string | Tree> => {
  const inner = () => inlinesOf("tokens" in token ? token.tokens : undefined)
  switch (token.type) {
    case "strong":
      return [{ t: "b", c: inner() }]
    case "em":
      return [{ t: "i", c: inner() }]
    case "del":
      return [{ t: "s", c: inner() }]
    case "codespan":
      return [{ t: "code", text: token["text"] }]
    case "br":
      return [{ t: "br" }]
    case "link":
      return isSafe(token["href"])
        ? [{ t: "a", href: token["href"], c: inner() }]
        : [...inner(), " ", { t: "code", text: token["href"] }]
    case "text":
      return "tokens" in token && token.tokens ? inner() : [token["text"]]
    default:
      return [token.raw]
  }
}
const inlinesOf = (tokens: ReadonlyArray<Token> | undefined): ReadonlyArray<string | Tree> =>
  (tokens ?? []).flatMap(inlineOf)

const blockOf = (token: Token): ReadonlyArray<Tree> => {
  switch (token.type) {
    case "space":
      return []
    case "heading":
      return [{ t: "h", n: token["depth"], c: inlinesOf(token["tokens"]) }]
    case "code":
      return [{ t: "code", text: token["text"], ...(token["lang"] ? { lang: token["lang"] } : {}) }]
    case "list": {
      const { ordered, start, items } = token as Tokens.List
      const rows = items.map((item) => ({
        ...(item.task ? { task: item.checked === true } : {}),
        // The sign of a task is no text.
        c: item.tokens.filter(({ type }) => type !== "checkbox").flatMap(blockOf)
      }))
      return [{ t: "list", ordered, ...(start === "" ? {} : { start }), items: rows }]
    }
    case "blockquote":
      return [{ t: "quote", c: (token["tokens"] ?? []).flatMap(blockOf) }]
    case "table": {
      const { align, header, rows } = token as Tokens.Table
      const cells = (row: ReadonlyArray<Tokens.TableCell>) => row.map((cell) => inlinesOf(cell.tokens))
      return [{ t: "table", align, head: cells(header), rows: rows.map(cells) }]
    }
    case "hr":
      return [{ t: "hr" }]
    case "text":
    case "paragraph":
      return [{ t: "p", c: "tokens" in token && token.tokens ? inlinesOf(token.tokens) : [token["text"]] }]
    default:
      return [{ t: "p", c: [token.raw.trim()] }]
  }
}

export const treesOf = (text: string): ReadonlyArray<Tree> => lexer(text, { gfm: true }).flatMap(blockOf)
