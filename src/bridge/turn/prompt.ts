/** Messages of people → the prompt of a turn; pure, and the same for the same messages. */

import { harmless } from "../../contract/text/harmless.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { withoutFooter } from "./footer.ts"

const longestName = 60
const longestQuote = 500

const oneLine = (text: string, most: number): string => {
  const line = harmless(text).replace(/\s+/g, " ").trim()
  return line.length <= most ? line : `${line.slice(0, most)}…`
}

const nameOf = ({ sender: { name, username, id } }: ChannelMessage): string =>
  oneLine(name ?? username ?? id, longestName)

/** What stands below an answer of ours says nothing to an agent. */
const quoteOf = ({ replyTo }: ChannelMessage): ReadonlyArray<string> => {
  const { text = "", ours = false } = replyTo ?? {}
  const quoted = ours ? withoutFooter(text) : text
  return quoted.trim() === "" ? [] : [`> ${oneLine(quoted, longestQuote)}`]
}

const filesOf = (message: ChannelMessage, paths: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  message.attachments.flatMap(({ fileId }) => {
    const path = paths.get(fileId)
    return path === undefined ? [] : [`[file: ${path}]`]
  })

/**
 * In groups, and where several people wrote, each message has its sender's name.
 * @param paths Of attachments that were downloaded and are no images, by their ids.
 */
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
