/** Entities as Telegram takes them: read, held against their text, and moved with it. Offsets are UTF-16 units. */
import { limits } from "./limits.ts"
import { integerOf, isRecord, type Params, textOf } from "./params.ts"
import { beyond } from "./refusal.ts"
import { type Entity, simpleEntities } from "./wire.ts"

const isSimple = (type: string): type is (typeof simpleEntities)[number] =>
  simpleEntities.some((known) => known === type)

const wrong = (why: string) => beyond(`can't parse entities: ${why}`)

const hasScheme = /^(?:https?|tg|mailto|tonsite):/i
/** A link that Telegram cannot follow is no link: the text stays, the entity goes. */
const isLink = (url: string) => hasScheme.test(url) || /^[\w-]+(?:\.[\w-]+)+(?:[/?#]|$)/.test(url)

const known = (part: { offset: number; length: number }, value: Params): Entity | undefined => {
  const type = textOf(value, "type")
  if (isSimple(type)) return { ...part, type }
  if (type === "pre") {
    const language = textOf(value, "language")
    return { ...part, type, ...(language === "" ? {} : { language }) }
  }
  if (type === "text_link") {
    const url = textOf(value, "url")
    return isLink(url) ? { ...part, type, url } : undefined
  }
  if (type === "custom_emoji") return { ...part, type, custom_emoji_id: textOf(value, "custom_emoji_id") }
  if (type === "text_mention") return undefined
  throw wrong(`unsupported type of entity ${JSON.stringify(type)}`)
}

const splits = (text: string, at: number) =>
  at > 0 && at < text.length && /[\udc00-\udfff]/.test(text.charAt(at)) && /[\ud800-\udbff]/.test(text.charAt(at - 1))

/** The words are those of tdlib (`fix_entity_offsets`). */
const read = (text: string, value: unknown): Entity | undefined => {
  if (!isRecord(value)) throw wrong("an entity must be an Object")
  const [offset, length] = [integerOf(value, "offset"), integerOf(value, "length")]
  if (offset === undefined || offset < 0) throw wrong("receive an entity with incorrect offset")
  if (length === undefined || length < 0) throw wrong("receive an entity with incorrect length")
  const at = `entity beginning at UTF-16 offset ${offset}`
  if (offset + length > text.length) throw wrong(`${at} ends after the end of the text at UTF-16 offset ${text.length}`)
  if (splits(text, offset)) throw wrong(`${at} starts in a middle of a UTF-16 symbol`)
  if (splits(text, offset + length))
    throw wrong(`${at} ends in a middle of a UTF-16 symbol at UTF-16 offset ${offset + length}`)
  return length === 0 ? undefined : known({ offset, length }, value)
}

/** All are held against the text, the first hundred are kept, in the order of the text. */
export const readEntities = (text: string, value: unknown): ReadonlyArray<Entity> => {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw wrong("expected an Array of entities")
  const all = value.flatMap((each) => read(text, each) ?? [])
  return all.slice(0, limits.entities).sort((a, b) => a.offset - b.offset || b.length - a.length)
}

/** To where `move` puts their beginnings and ends; the ones of which nothing is left go. */
export const moveEntities = (all: ReadonlyArray<Entity>, move: (at: number) => number): ReadonlyArray<Entity> =>
  all.flatMap((entity) => {
    const [from, to] = [move(entity.offset), move(entity.offset + entity.length)]
    return to > from ? [{ ...entity, offset: from, length: to - from }] : []
  })

/** What Telegram itself finds in the text of a person: commands, mentions and links. */
export const foundEntities = (text: string): ReadonlyArray<Entity> => {
  const kinds = [
    ["bot_command", /(?<![\w/])\/[a-z0-9_]{1,32}(?:@\w{3,32})?(?!\w)/gi],
    ["mention", /(?<![\w@/])@\w{4,32}(?!\w)/g],
    ["url", /\bhttps?:\/\/[^\s]+/gi]
  ] as const
  return kinds
    .flatMap(([type, form]) =>
      [...text.matchAll(form)].map((found): Entity => ({ type, offset: found.index, length: found[0].length }))
    )
    .sort((a, b) => a.offset - b.offset)
}
