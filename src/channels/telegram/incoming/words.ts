/** The words of a message, and whether they are meant for the bot; pure. */
import type { Me, WireEntity, WireMessage } from "./wire.ts"

type Words = Pick<WireMessage, "text" | "entities" | "caption" | "caption_entities">

const entitiesOf = ({ text, entities, caption_entities }: Words): ReadonlyArray<WireEntity> =>
  (text === undefined ? caption_entities : entities) ?? []

const written = ({ text, caption }: Words): string => text ?? caption ?? ""

const partOf = (text: string, { offset, length }: WireEntity) => text.slice(offset, offset + length)

const isName = (text: string, { username }: Me) =>
  username !== undefined && text.toLowerCase() === `@${username.toLowerCase()}`

const isMention = (text: string, entity: WireEntity, me: Me): boolean =>
  entity.type === "text_mention"
    ? entity.user?.id === me.id
    : entity.type === "mention" && isName(partOf(text, entity), me)

/** `named`: the bot's name stands behind it; `open`: nobody's. */
const commandOf = (text: string, entities: ReadonlyArray<WireEntity>, me: Me) => {
  const entity = entities.find(({ type, offset }) => type === "bot_command" && text.slice(0, offset).trim() === "")
  if (entity === undefined) return undefined
  const word = partOf(text, entity)
  const at = word.indexOf("@")
  if (at < 0) return { entity, at, to: "open" } as const
  return { entity, at, to: isName(word.slice(at), me) ? "named" : "other" } as const
}

/** The address of a link stands in its mark alone. */
const withAddresses = (text: string, entities: ReadonlyArray<WireEntity>): string => {
  const links = entities
    .filter(({ type, url }) => type === "text_link" && url !== undefined)
    .sort((a, b) => b.offset - a.offset)
  return links.reduce((all, { offset, length, url = "" }) => {
    const end = offset + length
    return all.slice(offset, end) === url ? all : `${all.slice(0, end)} (${url})${all.slice(end)}`
  }, text)
}

/** Without the bot's own name behind a command, and in front of all else. */
export const textOf = (words: Words, me: Me): string => {
  const text = written(words)
  const entities = entitiesOf(words)
  const command = commandOf(text, entities, me)
  if (command?.to === "named") {
    const { entity, at } = command
    const name = partOf(text, entity)
    return text.slice(0, entity.offset) + name.slice(0, at) + text.slice(entity.offset + name.length)
  }
  const first = entities.find((entity) => entity.offset === 0 && isMention(text, entity, me))
  const linked = withAddresses(text, entities)
  return first === undefined ? linked : linked.slice(first.length).replace(/^[\s,:]+/, "")
}

/** In a group. A command to another bot is not ours, whatever it replies to. */
export const isAddressed = (words: Words, isReplyToUs: boolean, me: Me): boolean => {
  const text = written(words)
  const entities = entitiesOf(words)
  const command = commandOf(text, entities, me)
  if (command !== undefined) return command.to !== "other"
  return isReplyToUs || entities.some((entity) => isMention(text, entity, me))
}
