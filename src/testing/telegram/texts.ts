/** A text or caption as it is taken: control characters become spaces, blank edges go, lengths are measured after that. */
import { moveEntities, readEntities } from "./entities.ts"
import { limits } from "./limits.ts"
import { jsonOf, type Params, textOf } from "./params.ts"
import { badRequest, beyond } from "./refusal.ts"
import type { Entity } from "./wire.ts"

export interface FormattedText {
  readonly text: string
  readonly entities: ReadonlyArray<Entity>
}

/** `\r`, separators of lines and paragraphs, marks of direction, and lines above and below a character. */
const removed = /[\r\u2028-\u202e]|\u030a|\u0333|\u033f/g

/** As tdlib does (`clean_input_string`). */
const cleaned = ({ text, entities }: FormattedText): FormattedText => {
  const spaced = text.replaceAll(/[\0-\x09\x0b\x0c\x0e-\x1f]/g, " ")
  const without = (part: string) => part.replaceAll(removed, "")
  return { text: without(spaced), entities: moveEntities(entities, (at) => without(spaced.slice(0, at)).length) }
}

/** As tdlib does (`fix_formatted_text`): spaces and line breaks go, in front only until the first entity. */
const trimmed = ({ text, entities }: FormattedText): FormattedText => {
  const end = text.replace(/[ \n]+$/, "").length
  const first = Math.min(entities[0]?.offset ?? end, end)
  const start = first - text.slice(0, first).replace(/^[ \n]+/, "").length
  const move = (at: number) => Math.min(Math.max(at, start), end) - start
  return { text: text.slice(start, end), entities: moveEntities(entities, move) }
}

const textIn = (params: Params, textName: string, entitiesName: string): FormattedText => {
  const text = textOf(params, textName)
  // Parse modes are not supported: use entities.
  if (textOf(params, "parse_mode") !== "") throw badRequest("unsupported parse_mode")
  return trimmed(cleaned({ text, entities: readEntities(text, jsonOf(params, entitiesName)) }))
}

export const messageText = (params: Params): FormattedText => {
  if (textOf(params, "text") === "") throw beyond("message text is empty")
  const all = textIn(params, "text", "entities")
  if (all.text === "") throw beyond("text must be non-empty")
  if (all.text.length > limits.text) throw beyond("message is too long")
  return all
}

/** May be empty: api#sendmessagedraft, `text`. */
export const draftText = (params: Params): FormattedText => {
  const all = textIn(params, "text", "entities")
  if (all.text.length > limits.text) throw beyond("message is too long")
  return all
}

export const caption = (params: Params): FormattedText => {
  const all = textIn(params, "caption", "caption_entities")
  if (all.text.length > limits.caption) throw beyond("message caption is too long")
  return all
}
