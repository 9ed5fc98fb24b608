/**
 * Payloads → messages of Slack: blocks of rich text, in which nothing is markup and no one can be notified; pure. Pieces of
 * the text, numbered if there are several, buttons below the last, then each file.
 */
import { Schema } from "effect"
import { cut } from "../../../bridge/format/cut.ts"
import { type Entity, joined, plain, type RichText } from "../../../bridge/format/entities.ts"
import { richText } from "../../../bridge/format/richText.ts"
import type { ChannelLimits } from "../../../bridge/messages/Channel.ts"
import type { Button, Piece, ReplyPayload } from "../../../bridge/messages/ReplyPayload.ts"
import { shortLine } from "../../../contract/text/harmless.ts"

/** A piece in Slack's own shape, as the outbox stores it. */
const Body = Schema.Struct({
  /** All that notifications and screen readers say, escaped. Empty for a file. */
  text: Schema.String,
  blocks: Schema.Array(Schema.Json),
  file: Schema.optionalKey(Schema.Literal(true))
})
export type Body = typeof Body.Type
export const isBody = Schema.is(Body)

/** Slack takes more, but not in updates, and folds it. */
const longest = 3_000
const notificationBytes = 3_000

export const limits: ChannelLimits = {
  text: longest,
  buttons: { most: 25, label: 75, data: 2_000 },
  pace: { directPerMinute: 60, directBurst: 3, groupPerMinute: 60, editsPerMinute: 45 },
  uploadBytes: 100_000_000,
  downloadBytes: 100_000_000
}

const mostEntities = 100
const mostInRow = 25
const errorMark = "⚠️ "
/** Slack refuses a message of nothing else. */
const isShown = ({ text }: RichText) => text.replace(/[\s\p{C}]/gu, "") !== ""

type Json = Schema.Json
type Container = "rich_text_section" | "rich_text_preformatted" | "rich_text_quote"

const styleNames = { bold: "bold", italic: "italic", strikethrough: "strike", code: "code" } as const

/** The part of a text between two borders of marks. */
const elementOf = (text: string, marks: ReadonlyArray<Entity>, isCode: boolean): Json => {
  const style: Record<string, true> = {}
  let url: string | undefined
  for (const mark of isCode ? [] : marks) {
    if (mark.type === "link") url = mark.url
    else if (mark.type !== "pre" && mark.type !== "blockquote") style[styleNames[mark.type]] = true
  }
  const more = Object.keys(style).length === 0 ? {} : { style }
  return url === undefined ? { type: "text", text, ...more } : { type: "link", url, text, ...more }
}

const containerOf = (marks: ReadonlyArray<Entity>): Entity | undefined =>
  marks.find(({ type }) => type === "pre") ?? marks.find(({ type }) => type === "blockquote")

const typeOf = (of: Entity | undefined): Container => {
  if (of === undefined) return "rich_text_section"
  return of.type === "pre" ? "rich_text_preformatted" : "rich_text_quote"
}

/** Containers stand on lines of their own: line feeds at their borders would be shown twice. */
const trimmed = ({ text, entities }: RichText, from: number, to: number): readonly [from: number, to: number] => {
  const isBorder = (at: number) =>
    entities.some(
      ({ type, offset, length }) =>
        (type === "pre" || type === "blockquote") && (offset === at || offset + length === at)
    )
  let [start, end] = [from, to]
  while (start < end && text[start] === "\n" && (from === 0 || isBorder(from))) start += 1
  while (end > start && text[end - 1] === "\n" && (to === text.length || isBorder(to))) end -= 1
  return [start, end]
}

/** The elements of one `rich_text` block. */
export const elementsOf = (rich: RichText): ReadonlyArray<Json> => {
  const { text, entities } = rich
  const borders = new Set([0, text.length])
  for (const { offset, length } of entities) borders.add(offset).add(Math.min(text.length, offset + length))
  const places = [...borders].sort((a, b) => a - b)
  const containers: Array<{ readonly of: Entity | undefined; readonly elements: Array<Json> }> = []
  let open = 0
  let begun: ReadonlyArray<Entity> = []
  for (const [index, from] of places.slice(0, -1).entries()) {
    const to = places[index + 1] ?? text.length
    const added: Array<Entity> = []
    for (let next = entities[open]; next !== undefined && next.offset <= from; next = entities[open]) {
      added.push(next)
      open += 1
    }
    begun = [...begun, ...added].filter(({ offset, length }) => offset + length > from)
    const of = containerOf(begun)
    const [start, end] = of === undefined ? trimmed(rich, from, to) : [from, to]
    if (start === end) continue
    const last = containers.at(-1)
    const element = elementOf(text.slice(start, end), begun, of?.type === "pre")
    if (last !== undefined && last.of === of) last.elements.push(element)
    else containers.push({ of, elements: [element] })
  }
  return containers.map(({ of, elements }) => ({ type: typeOf(of), elements }))
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** At most so many bytes, and no half of an escape. */
const notificationOf = (text: string): string => {
  let bytes = 0
  let short = ""
  for (const character of text) {
    const output = escaped(character)
    bytes += Buffer.byteLength(output)
    if (bytes > notificationBytes - 3) return `${short}…`
    short += output
  }
  return short
}

const fits = ({ data }: Button) => data !== "" && Buffer.byteLength(data) <= limits.buttons.data

const actionsOf = (buttons: ReadonlyArray<ReadonlyArray<Button>>): ReadonlyArray<Json> => {
  let count = 0
  return buttons.flatMap((row) => {
    const taken = row.filter(fits).slice(0, Math.min(mostInRow, limits.buttons.most - count))
    const elements = taken.map(({ label, data }) => ({
      type: "button",
      // Unique in its message.
      action_id: `b${count++}`,
      text: { type: "plain_text", text: shortLine(label, limits.buttons.label) || "…", emoji: false },
      value: data
    }))
    return elements.length === 0 ? [] : [{ type: "actions", elements }]
  })
}

const nameOf = (path: string) => path.split(/[\\/]/).at(-1) ?? ""

interface OwnPiece extends Piece {
  readonly body: Body
}

const pieceOf = (rich: RichText): OwnPiece => ({
  text: rich.text,
  body: { text: notificationOf(rich.text), blocks: [{ type: "rich_text", elements: elementsOf(rich) }] }
})

const textPieces = (text: string, isError: boolean): ReadonlyArray<OwnPiece> => {
  const rich = richText(text)
  const marked = isError && isShown(rich) ? joined(plain(errorMark), rich) : rich
  return cut(marked, limits.text, { entities: mostEntities, numbered: true }).filter(isShown).map(pieceOf)
}

/** A file has no buttons in Slack: without a text they get a message of their own. */
const choose = plain("Choose:")

export const render = (payload: ReplyPayload): ReadonlyArray<Piece> => {
  const { text = "", mediaUrls = [], isError = false, buttons = [] } = payload
  const files = mediaUrls.map(
    (path): OwnPiece => ({ text: nameOf(path), body: { text: "", blocks: [], file: true }, file: path })
  )
  const texts = textPieces(text, isError)
  const actions = actionsOf(buttons)
  if (actions.length === 0) return [...texts, ...files]
  const last = texts.at(-1) ?? pieceOf(choose)
  const withButtons = { ...last, body: { ...last.body, blocks: [...last.body.blocks, ...actions] } }
  return [...texts.slice(0, -1), withButtons, ...files]
}
