/**
 * Text with marks → Discord's Markdown; pure. Every character that could be a mark is escaped, so that a person reads what
 * was written. Marks are closed and opened again where they would cross. No one is notified by it: `allowed_mentions` of each
 * message sees to that.
 */
import { byOffset, type Entity, type RichText } from "../../../bridge/format/entities.ts"

/** Keeps two marks, or the backticks of a text, apart; it is not seen. */
const gap = "\u200b"

const urlForm = /https?:\/\/[^\s<>\\`]*[^\s<>\\`.,:;"'()[\]*_~|!?]/g
const special = /[\\`*_~|[\]<>@]/g
/** A heading, a list, small text, or a numbered list. */
const atLineStart = /^([ \t]*)(?:(#{1,3}|[-+])(?=[ \t#])|(\d+)(\.)(?=[ \t]))/

const escapeLine = (line: string, isStart: boolean): string => {
  const escaped = line.replace(special, "\\$&")
  return isStart
    ? escaped.replace(atLineStart, (_all, space: string, mark = "", digits = "", dot = "") =>
        mark === "" ? `${space}${digits}\\${dot}` : `${space}\\${mark}`
      )
    : escaped
}

/** `isStart`: it begins a line. Addresses stay as they are: Discord makes links of them. */
const escapeText = (text: string, isStart: boolean): string => {
  let out = ""
  let from = 0
  const plain = (part: string) => {
    for (const [at, line] of part.split("\n").entries())
      out += (at > 0 ? "\n" : "") + escapeLine(line, at > 0 || (isStart && out === ""))
  }
  for (const found of text.matchAll(urlForm)) {
    plain(text.slice(from, found.index))
    out += found[0]
    from = found.index + found[0].length
  }
  plain(text.slice(from))
  return out
}

const apart = (text: string) => text.replaceAll("``", `\`${gap}\``).replaceAll("``", `\`${gap}\``)

const inlineCode = (text: string): string => {
  const safe = apart(text)
  if (!safe.includes("`")) return `\`${safe}\``
  return `\`\`${safe.startsWith("`") ? " " : ""}${safe}${safe.endsWith("`") ? " " : ""}\`\``
}

const fence = (text: string, language: string | undefined): string => {
  const name = language !== undefined && /^[\w+\-.#]{1,40}$/.test(language) ? language : ""
  return `\`\`\`${name}\n${text.replaceAll(/``(?=`)/g, `\`\`${gap}`).replace(/\n$/, "")}\n\`\`\``
}

const longestAddress = 500

/** Discord makes a link of a label only for these, and none where the label looks like an address. */
const isLink = (label: string, url: string) =>
  /^https?:\/\/[^\s<>]+$/i.test(url) && url.length <= longestAddress && !label.includes("://") && !label.includes("\n")

/** Links that Discord does not take, with their addresses in the text. */
export const withAddresses = ({ text, entities }: RichText): RichText => {
  const dropped = entities.filter(
    (entity): entity is Extract<Entity, { readonly type: "link" }> =>
      entity.type === "link" && !isLink(text.slice(entity.offset, entity.offset + entity.length), entity.url)
  )
  if (dropped.length === 0) return { text, entities }
  const inserts = dropped.flatMap((entity) => {
    const at = entity.offset + entity.length
    return text.slice(entity.offset, at) === entity.url ? [] : [{ at, text: ` (${entity.url})` }]
  })
  let out = ""
  let from = 0
  for (const insert of inserts.toSorted((a, b) => a.at - b.at)) {
    out += text.slice(from, insert.at) + insert.text
    from = insert.at
  }
  /** `isEnd`: what is inserted at the end of a mark stands behind it. */
  const moved = (at: number, isEnd: boolean) =>
    inserts.reduce(
      (all, insert) => (insert.at < at || (!isEnd && insert.at === at) ? all + insert.text.length : all),
      at
    )
  const record = entities.filter((entity) => !dropped.some((other) => other === entity))
  return {
    text: out + text.slice(from),
    entities: record
      .map((entity) => {
        const offset = moved(entity.offset, false)
        return { ...entity, offset, length: moved(entity.offset + entity.length, true) - offset }
      })
      .sort(byOffset)
  }
}

const marks: { readonly [type: string]: string } = { bold: "**", italic: "*", strikethrough: "~~" }

const opening = (entity: Entity) => (entity.type === "link" ? "[" : (marks[entity.type] ?? ""))
const closing = (entity: Entity) => (entity.type === "link" ? `](<${entity.url}>)` : (marks[entity.type] ?? ""))
const endOf = ({ offset, length }: Entity) => offset + length

/** Quotations begin each of their lines with a mark. */
const quoteLines = (output: string) =>
  output
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n")

interface Part {
  readonly text: string
  readonly at: number
}

const writePart = ({ text, at }: Part, entities: ReadonlyArray<Entity>): string => {
  const end = at + text.length
  const inside = entities.filter((entity) => entity.type !== "blockquote" && entity.offset < end && endOf(entity) > at)
  const borders = new Set([at, end])
  for (const entity of inside)
    for (const border of [entity.offset, endOf(entity)]) if (border > at && border < end) borders.add(border)
  const sorted = [...borders].sort((a, b) => a - b)
  let out = ""
  let open: ReadonlyArray<Entity> = []
  let isClosed = false

  const closeTo = (record: ReadonlyArray<Entity>) => {
    while (open.length > record.length || open.some((entity, index) => entity !== record[index])) {
      const last = open.at(-1)
      if (last === undefined) return
      out += closing(last)
      isClosed = true
      open = open.slice(0, -1)
    }
  }
  const put = (next: string) => {
    // Two marks beside one another would be read as one.
    if (isClosed && /[*~`]$/.test(out) && out.at(-1) === next[0]) out += gap
    if (next !== "") isClosed = false
    out += next
  }

  for (const [index, from] of sorted.slice(0, -1).entries()) {
    const to = sorted[index + 1] ?? end
    const here = inside.filter((entity) => entity.offset <= from && endOf(entity) >= to)
    const code = here.find(({ type }) => type === "code" || type === "pre")
    const styles = code === undefined ? here.toSorted(byOffset) : []
    const common = open.filter((entity, position) => styles[position] === entity)
    closeTo(
      common.length === open.length
        ? open
        : open.slice(
            0,
            open.findIndex((entity, position) => styles[position] !== entity)
          )
    )
    for (const style of styles.slice(open.length)) {
      put(opening(style))
      open = [...open, style]
    }
    const own = text.slice(from - at, to - at)
    if (code?.type === "pre") {
      if (out !== "" && !out.endsWith("\n")) out += "\n"
      out += fence(own, code.language)
      if (to < end && text[to - at] !== "\n") out += "\n"
      isClosed = false
    } else if (code !== undefined) {
      put(inlineCode(own))
      isClosed = true
    } else put(escapeText(own, out === "" || out.endsWith("\n")))
  }
  closeTo([])
  return out
}

export const write = ({ text, entities }: RichText): string => {
  const quotes = entities.filter(({ type }) => type === "blockquote")
  let out = ""
  let from = 0
  for (const quote of quotes) {
    if (quote.offset < from) continue
    const part = (at: number, to: number) => writePart({ text: text.slice(at, to), at }, entities)
    out += part(from, quote.offset)
    if (out !== "" && !out.endsWith("\n")) out += "\n"
    out += quoteLines(part(quote.offset, endOf(quote)))
    from = endOf(quote)
    if (from < text.length && text[from] !== "\n") out += "\n"
  }
  return out + writePart({ text: text.slice(from), at: from }, entities)
}
