/** The marks inside a paragraph as a tree: styles, code, links. What has no mark of its own is text. */
import type { MarkedToken, Tokens } from "marked"
import type { Inline } from "./block.ts"
import { linkUrl, type Reading } from "./lexer.ts"
import { decoded } from "./spans.ts"

/** Styles inside each other; what is deeper has the style of what is around it. */
const maxDepth = 12

const joined = (parts: ReadonlyArray<Inline>): ReadonlyArray<Inline> => {
  const all: Array<Inline> = []
  for (const part of parts) {
    const last = all.at(-1)
    if (part === "") continue
    if (typeof part === "string" && typeof last === "string") all[all.length - 1] = last + part
    else all.push(part)
  }
  return all
}

/** An address that a page may open; those of other programs stay text. */
const pageUrl = (href: string): string | undefined => {
  const url = linkUrl(href)
  return url !== undefined && /^(?:https?|mailto):/i.test(url) ? url : undefined
}

/** @param linked Gets the addresses of the links that were met. */
export const inlinesOf = (reading: Reading, text: string, linked: Set<string>): ReadonlyArray<Inline> => {
  const style = (t: "b" | "i" | "s", tokens: ReadonlyArray<unknown>, depth: number, inLink: boolean) => {
    const c = spans(tokens, depth + 1, inLink)
    return depth >= maxDepth ? c : c.length === 0 ? [] : [{ t, c }]
  }

  const link = (token: Tokens.Link | Tokens.Image, depth: number, inLink: boolean): ReadonlyArray<Inline> => {
    linked.add(token.href)
    const href = decoded(token.href)
    const url = inLink ? undefined : pageUrl(href)
    const isBare = token.type === "link" && token.text === token.href
    const title = token.title ? [` (${decoded(token.title)})`] : []
    const label = () => (token.type === "image" ? [decoded(token.text)] : spans(token.tokens, depth + 1, true))
    if (url !== undefined) {
      const c = token.text === "" || isBare ? [href] : joined(label())
      return [{ t: "a", href: url, c: c.length === 0 ? [href] : c }, ...title]
    }
    const address: Inline = { t: "code", text: href }
    if (isBare || token.text === "") return [address, ...title]
    const isSame = href === "" || href === token.text || token.href === `mailto:${token.text}`
    return isSame ? [...label(), ...title] : [...label(), " (", address, ")", ...title]
  }

  const span = (token: MarkedToken, depth: number, inLink: boolean): ReadonlyArray<Inline> => {
    switch (token.type) {
      case "strong":
        return style("b", token.tokens, depth, inLink)
      case "em":
        return style("i", token.tokens, depth, inLink)
      case "del":
        return style("s", token.tokens, depth, inLink)
      case "codespan":
        return [{ t: "code", text: token.text }]
      case "br":
        return [{ t: "br" }]
      case "link":
      case "image":
        return link(token, depth, inLink)
      case "html":
        return /^<br\s*\/?>$/i.test(token.raw) ? [{ t: "br" }] : [token.raw]
      case "text":
      case "escape":
        return [decoded(token.text).replace(/\n[ \t]+/g, "\n")]
      default:
        return [token.raw]
    }
  }

  // As in `lexer.ts`: there are only marked's own tokens.
  const spans = (tokens: ReadonlyArray<unknown>, depth: number, inLink: boolean): ReadonlyArray<Inline> =>
    joined((tokens as ReadonlyArray<MarkedToken>).flatMap((token) => span(token, depth, inLink)))

  return spans(reading.spans(text), 0, false)
}
