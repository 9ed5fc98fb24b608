/**
 * Text with marks → the marks that WhatsApp reads. It has no escapes: a zero-width space keeps letters from being read as a
 * mark, and a mark that would not be read as one is left out.
 */
import { type Entity, type RichText, trimmedEntity } from "../../../bridge/format/entities.ts"

const gap = "\u200b"
const signs = { bold: "*", italic: "_", strikethrough: "~" } as const
const isStyle = (entity: Entity): entity is Entity & { readonly type: keyof typeof signs } => entity.type in signs

const isWord = (text: string) => /[\p{L}\p{N}]/u.test(text)
const before = (text: string, at: number) =>
  at === 0 ? "" : (/.$/su.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? "")
const behind = (text: string, at: number) => (at >= text.length ? "" : String.fromCodePoint(text.codePointAt(at) ?? 0))

/** Addresses, which the apps make links themselves. */
const addresses = /\bhttps?:\/\/[^\s]+/g
const insideAddress = (text: string): ((at: number) => boolean) => {
  const found = [...text.matchAll(addresses)].map(({ index, 0: url }) => [index, index + url.length] as const)
  return (at) => found.some(([start, end]) => at >= start && at < end)
}

/** Places of letters that could begin or end a mark, and of those that make a line a quotation. */
const literals = (text: string): ReadonlySet<number> => {
  const isAddress = insideAddress(text)
  const found = [...text.matchAll(/[*_~`]/g)].map(({ index }) => index).filter((at) => !isAddress(at))
  return new Set(found.filter((at) => !isWord(before(text, at)) || !isWord(behind(text, at + 1)) || text[at] === "`"))
}

interface Insertions {
  readonly opening: Map<number, string>
  readonly closing: Map<number, string>
}

const add = (map: Map<number, string>, at: number, sign: string, isFirst: boolean) =>
  map.set(at, isFirst ? sign + (map.get(at) ?? "") : (map.get(at) ?? "") + sign)

/** The part of a style on each of its lines. */
const onLines = (text: string, entity: Entity): ReadonlyArray<Entity> => {
  const parts: Array<Entity> = []
  let at = entity.offset
  for (const line of text.slice(entity.offset, entity.offset + entity.length).split("\n")) {
    parts.push(...trimmedEntity(text, { ...entity, offset: at, length: line.length }))
    at += line.length + 1
  }
  return parts
}

/** WhatsApp reads a mark only between words, and not around its own sign. */
const isRead = (text: string, { offset, length }: Entity, sign: string) =>
  !isWord(before(text, offset)) &&
  !isWord(behind(text, offset + length)) &&
  !text.slice(offset, offset + length).includes(sign)

const isInside = (entities: ReadonlyArray<Entity>) => (at: number) =>
  entities.some(({ offset, length }) => at >= offset && at < offset + length)

const fence = "```"

const codeOf = (code: string): string => {
  const apart = code.replaceAll("`", `\`${gap}`)
  const body = apart.startsWith("`") ? gap + apart : apart
  return `${fence}${body}${fence}`
}

/** As it is sent. */
export const formatted = ({ text, entities }: RichText): string => {
  const marks: Insertions = { opening: new Map(), closing: new Map() }
  const blocks = entities.filter(({ type }) => type === "pre")
  const codes = entities.filter(
    (entity) => entity.type === "code" && isRead(text, entity, "`") && onLines(text, entity).length === 1
  )
  const isCode = isInside([...blocks, ...codes])
  const isQuoted = isInside(entities.filter(({ type }) => type === "blockquote"))

  for (const entity of entities) {
    const end = entity.offset + entity.length
    if (entity.type === "link" && text.slice(entity.offset, end) !== entity.url)
      add(marks.closing, end, ` (${entity.url})`, true)
    if (!isStyle(entity)) continue
    const sign = signs[entity.type]
    for (const part of onLines(text, entity).filter((each) => isRead(text, each, sign))) {
      add(marks.opening, part.offset, sign, false)
      // The inner mark ends first.
      add(marks.closing, part.offset + part.length, sign, true)
    }
  }
  for (const { offset, length } of codes) {
    add(marks.opening, offset, "`", false)
    add(marks.closing, offset + length, "`", true)
  }

  const protectedAt = literals(text)
  const parts: Array<string> = []
  const lineStart = (at: number) => {
    if (isQuoted(at)) parts.push("> ")
    else if (text[at] === ">") parts.push(gap)
  }
  for (let at = 0; at <= text.length; at++) {
    const block = blocks.find(({ offset }) => offset === at)
    parts.push(marks.closing.get(at) ?? "")
    if ((at === 0 || text[at - 1] === "\n") && at < text.length) lineStart(at)
    if (block !== undefined) {
      parts.push(codeOf(text.slice(at, at + block.length)))
      at += block.length - 1
      continue
    }
    parts.push(marks.opening.get(at) ?? "", text[at] ?? "")
    if (protectedAt.has(at) && !isCode(at)) parts.push(gap)
  }
  return parts.join("")
}

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

/** At least the length of what is formatted; a part of a text has no more than the text. */
export const lengthOf = ({ text, entities }: RichText): number => {
  const lines = (entity: Entity) => 1 + countOf(text.slice(entity.offset, entity.offset + entity.length), /\n/g)
  const costs = entities.map((entity) => {
    if (entity.type === "pre") return 2 * fence.length + 1
    if (entity.type === "link") return entity.url.length + 3
    return 2 * lines(entity)
  })
  return text.length + countOf(text, /[*_~`>]/g) + costs.reduce((sum, cost) => sum + cost, 0)
}
