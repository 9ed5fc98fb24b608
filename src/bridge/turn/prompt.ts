/** Messages of people → the prompt and the id of their turn; pure and deterministic. */
import { createHash } from "node:crypto"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { safe } from "../texts.ts"
import { withoutFooter } from "./footer.ts"

const longestName = 60
const longestQuote = 500

const nameOf = ({ sender: { name, username, id } }: ChannelMessage): string => safe(name ?? username ?? id, longestName)

/** The footer of a quoted answer is useless to an agent. */
const quoteOf = ({ replyTo }: ChannelMessage): ReadonlyArray<string> => {
  const { text = "", ours = false } = replyTo ?? {}
  const quoted = ours ? withoutFooter(text) : text
  return quoted.trim() === "" ? [] : [`> ${safe(quoted, longestQuote)}`]
}

const filesOf = (message: ChannelMessage, paths: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  message.attachments.flatMap(({ fileId }) => {
    const path = paths.get(fileId)
    return path === undefined ? [] : [`[file: ${path}]`]
  })

/** In groups, and for several senders, with their names. @param paths Downloaded files, by their ids. */
export const promptOf = (
  messages: ReadonlyArray<ChannelMessage>,
  paths: ReadonlyMap<string, string> = new Map()
): string => {
  const senders = new Set(messages.map(({ sender }) => sender.id))
  const isNamed = senders.size > 1 || messages.some(({ chat }) => chat === "group")
  return messages
    .map((message) => {
      const text = isNamed ? `${nameOf(message)}: ${message.text}` : message.text
      return [...quoteOf(message), text, ...filesOf(message, paths)].filter((part) => part !== "").join("\n")
    })
    .join("\n\n")
}

/** The id of the turn that answers a message. `attempt`: above 0 to repeat it with another id. */
export const turnIdOf = ({ conversation, updateId }: ChannelMessage, attempt = 0): string => {
  const { channel, accountId, chatId } = conversation
  const hash = createHash("sha256").update(JSON.stringify([channel, accountId, chatId, updateId, attempt]))
  return `bridge-${hash.digest("base64url").slice(0, 24)}`
}
