/** Messages that belong together → one message: all texts and captions in order, and all attachments; pure. */
import type { ChannelMessage } from "../messages/ChannelMessage.ts"

/** Of one message, as people write it; longer ones are cut by most platforms. */
const defaultCut = 4_000

const captionsOf = ({ text, attachments }: ChannelMessage): string => {
  if (text.trim() !== "") return text
  return attachments
    .map(({ caption }) => caption ?? "")
    .filter((caption) => caption.trim() !== "")
    .join("\n")
}

/** A text that the platform cut in a word goes on without a line between. */
const joined = (texts: ReadonlyArray<string>, hardCut: number): string =>
  texts.reduce((all, text, at) => {
    if (at === 0) return text
    return (texts[at - 1] ?? "").length >= hardCut ? `${all}${text}` : `${all}\n${text}`
  }, "")

/**
 * The first gives its ids and its sender, the last its time; a reply is that of the first that is one. `limit`: what one
 * message of the channel takes.
 */
export const merged = (
  [first, ...others]: readonly [ChannelMessage, ...ReadonlyArray<ChannelMessage>],
  limit: number = defaultCut
): ChannelMessage => {
  if (others.length === 0) return { ...first, text: captionsOf(first) }
  const all = [first, ...others]
  const { group: _, replyTo: __, ...own } = first
  const replyTo = all.find((message) => message.replyTo !== undefined)?.replyTo
  return {
    ...own,
    text: joined(
      all.map(captionsOf).filter((text) => text.trim() !== ""),
      limit
    ),
    attachments: all.flatMap(({ attachments }) => attachments),
    sentAt: Math.max(...all.map(({ sentAt }) => sentAt)),
    addressed: all.some(({ addressed }) => addressed),
    ...(replyTo === undefined ? {} : { replyTo })
  }
}
