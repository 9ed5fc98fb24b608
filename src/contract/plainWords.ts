/** Extracts the readable part of an error text, which may be or contain an HTML page or JSON, even nested; pure. */
import { Predicate } from "effect"

const maxLength = 1_000
/** Text beyond this is ignored: a page has its message at the beginning. */
const maxRead = 20_000
const maxDepth = 3

const clip = (text: string, length: number) => (text.length <= length ? text : `${text.slice(0, length - 1)}…`)

const page = /<(?:!doctype\s+html|html|head|title|body|center|h1|pre|div|p|br)\b[^<>]*>/i
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" }

const wordsOfPage = (html: string): string => {
  const titled = /<title\b[^<>]*>([^<]+)/i.exec(html)?.[1] ?? /<h1\b[^<>]*>([^<]+)/i.exec(html)?.[1]
  const text = titled ?? html.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, " ").replace(/<[^<>]*>/g, " ")
  const plain = text.replace(/&(#?\w+);/g, (entity, name: string) => entities[name.toLowerCase()] ?? entity)
  return clip(plain.replace(/\s+/g, " ").trim(), 200)
}

/** The value of the most specific of the keys that APIs use. */
const wordsOfJson = (json: object, depth: number): string | undefined => {
  for (const key of ["error", "message", "detail", "error_description", "title", "reason", "code", "status", "type"]) {
    const value = Predicate.hasProperty(json, key) ? json[key] : undefined
    const inner = Predicate.isObject(value) ? wordsOfJson(value, depth) : undefined
    if (inner !== undefined) return inner
    if (Predicate.isString(value) && value.trim() !== "") return read(value, depth + 1)
    if (Predicate.isNumber(value)) return String(value)
  }
  return undefined
}

const parsed = (text: string): object | undefined => {
  try {
    const json: unknown = JSON.parse(text)
    return Predicate.isObject(json) ? json : undefined
  } catch {
    return undefined
  }
}

const joined = (before: string, words: string, after: string) =>
  [before.trimEnd(), words, after.trim()]
    .filter((part) => part !== "")
    .join(" ")
    .replace(/[\s:;,([{–—-]+$/, "")

const read = (text: string, depth: number): string => {
  if (depth > maxDepth) return clip(text.replace(/[<>{}]/g, " "), 200)
  const [from, to] = [text.indexOf("{"), text.lastIndexOf("}") + 1]
  const json = from >= 0 && from < to ? parsed(text.slice(from, to)) : undefined
  if (json !== undefined) return joined(text.slice(0, from), wordsOfJson(json, depth) ?? "", text.slice(to))
  const at = text.search(page)
  if (at < 0) return text
  const end = text.toLowerCase().lastIndexOf("</html>")
  const last = end < at ? text.length : end + "</html>".length
  return joined(text.slice(0, at), wordsOfPage(text.slice(at, last)), text.slice(last))
}

/** At most 1,000 characters; not empty unless the text is. */
export const plainWords = (text: string): string => {
  const words = read(clip(text, maxRead), 0)
  return clip(words.trim() === "" ? "an error without a readable message" : words, maxLength)
}
