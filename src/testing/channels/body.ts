/** The scripted channel's own shape of a piece, and how payloads are cut into it; pure. */
import { Schema } from "effect"
import type { ChannelLimits } from "../../bridge/messages/Channel.ts"
import { Button, type Piece, type ReplyPayload } from "../../bridge/messages/ReplyPayload.ts"
import { graphemesOf } from "../../contract/text/graphemes.ts"

export const Body = Schema.Struct({
  text: Schema.String,
  buttons: Schema.Array(Schema.Array(Button)),
  replyToId: Schema.optionalKey(Schema.String),
  silent: Schema.optionalKey(Schema.Boolean)
})
export type Body = typeof Body.Type

/** The longest prefix of whole graphemes; one longer than the limit is cut between code points. */
const beginning = (text: string, limit: number): number => {
  let end = 0
  for (const { index, segment } of graphemesOf(text.slice(0, limit + 64))) {
    if (index + segment.length > limit) break
    end = index + segment.length
  }
  if (end > 0) return end
  const last = text.charCodeAt(limit - 1)
  return last >= 0xd800 && last < 0xdc00 ? Math.max(limit - 1, 2) : limit
}

/** Behind the last line break or space of the second half, if there is one. */
const cutAt = (text: string, limit: number): number => {
  const most = beginning(text, limit)
  const head = text.slice(0, most)
  const [line, space] = [head.lastIndexOf("\n") + 1, head.lastIndexOf(" ") + 1]
  return line > most / 2 ? line : space > most / 2 ? space : most
}

const cutText = (text: string, limit: number): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  let rest = text
  while (rest.length > limit) {
    const at = cutAt(rest, limit)
    pieces.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  return rest === "" ? pieces : [...pieces, rest]
}

/** Text is written as it is; each file is a piece of its own, the first one with a text that fits. */
export const render =
  ({ text: limit, buttons: { most } }: Pick<ChannelLimits, "text" | "buttons">) =>
  ({ text = "", mediaUrls = [], replyToId, buttons = [], silent }: ReplyPayload): ReadonlyArray<Piece> => {
    const texts = cutText(text, limit)
    const visible = most === 0 ? [] : buttons
    const all = [...texts.map((each) => ({ text: each })), ...mediaUrls.map((file) => ({ text: "", file }))]
    return all.map(({ text: each, ...file }, index): Piece => {
      const body: Body = {
        text: each,
        buttons: index === all.length - 1 ? visible : [],
        ...(index === 0 && replyToId !== undefined ? { replyToId } : {}),
        ...(silent === undefined ? {} : { silent })
      }
      return { text: each, body, ...file }
    })
  }
