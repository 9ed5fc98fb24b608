/** Entities as Telegram takes them: reads, validates and moves them. Offsets are UTF-16 units. */
import { limits } from "./limits.ts"
import { integerOf, isRecord, type Params, textOf } from "./params.ts"
import { beyond } from "./refusal.ts"
import { type Entity, simpleEntities } from "./wire.ts"

const isSimple = (type: string): type is (typeof simpleEntities)[number] =>
  simpleEntities.some((known) => known === type)

const unreadable = (why: string) => beyond(`can't parse MessageEntity: ${why}`)
const hasScheme = /^(?:https?|tg|mailto|ton|tonsite):/i
/** A link that Telegram cannot follow is dropped: the text stays, the entity goes. */
const isLink = (url: string) => hasScheme.test(url) || /^[\w-]+(?:\.[\w-]+)+(?:[/?#]|$)/.test(url)

/** Telegram finds these itself; given ones are dropped. */
const foundItself: ReadonlySet<string> = new Set([
  "mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number", "bank_card_number"
]) // biome-ignore format: one list

const known = (part: { offset: number; length: number }, value: Params): Entity | undefined => {
  const type = textOf(value, "type")
  if (foundItself.has(type) || type === "text_mention") return undefined
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
  throw unreadable(type === "" ? "type is not specified" : "unsupported type specified")
}

const splits = (text: string, at: number) =>
  /[\udc00-\udfff]/.test(text.charAt(at)) && /[\ud800-\udbff]/.test(text.charAt(at - 1))

/** In the words of tdlib (`fix_formatted_text`). */
const misplaced = (text: string, offset: number, length: number): string | undefined => {
  const from = `entity beginning at UTF-16 offset ${offset}`
  if (offset < 0) return `receive an entity with incorrect offset ${offset}`
  if (length < 0) return `receive an entity with incorrect length ${length}`
  if (length === 0) return undefined
  if (offset > text.length) return `entity begins after the end of the text at UTF-16 offset ${offset}`
  if (offset + length > text.length) return `${from} ends after the end of the text at UTF-16 offset ${offset + length}`
  if (splits(text, offset)) return "entity begins in a middle of a UTF-16 symbol"
  return splits(text, offset + length) ? `${from} ends in a middle of a UTF-16 symbol` : undefined
}

const read = (text: string, value: unknown): Entity | undefined => {
  if (!isRecord(value)) throw unreadable("expected an Object")
  const [offset, length] = [integerOf(value, "offset"), integerOf(value, "length")]
  if (offset === undefined) throw unreadable('can\'t find field "offset"')
  if (length === undefined) throw unreadable('can\'t find field "length"')
  const entity = known({ offset, length }, value)
  const why = misplaced(text, offset, length)
  if (why !== undefined) throw beyond(why)
  return length === 0 ? undefined : entity
}

/** Validates all, keeps the first hundred, in the order of the text. */
export const readEntities = (text: string, value: unknown): ReadonlyArray<Entity> => {
  // Like Telegram: anything but a list counts as empty.
  if (!Array.isArray(value)) return []
  const all = value.flatMap((each) => read(text, each) ?? [])
  return all.slice(0, limits.entities).sort((a, b) => a.offset - b.offset || b.length - a.length)
}

/** Moves their ends by `move`; empty ones are dropped. */
export const moveEntities = (all: ReadonlyArray<Entity>, move: (at: number) => number): ReadonlyArray<Entity> =>
  all.flatMap((entity) => {
    const [from, to] = [move(entity.offset), move(entity.offset + entity.length)]
    return to > from ? [{ ...entity, offset: from, length: to - from }] : []
  })

/** Entities that Telegram itself finds in the text of a person: commands, mentions and links. */
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
