/** Which updates, messages and attachments are accepted, and notices to the sender about the others; pure. */
import type { ChannelMessage, MessageAttachment } from "../messages/ChannelMessage.ts"
import { conversationParts } from "../messages/Conversation.ts"
import type { Incoming } from "../messages/Incoming.ts"
import { texts } from "../texts.ts"

interface SiftOptions {
  /** Largest download of the channel; undefined if it does not support files. */
  readonly downloadBytes: number | undefined
  /** Voice messages can be transcribed. */
  readonly hasTranscriber: boolean
}

interface Sifted {
  /** The message with its accepted attachments. */
  readonly message: ChannelMessage
  /** One line for each refused attachment. */
  readonly notices: ReadonlyArray<string>
  /** Whether nothing is left that an agent could answer. */
  readonly isEmpty: boolean
}

/** Most files of one message, however many parts it has. */
const mostFiles = 20
/** Most lines about refused attachments. */
const mostRefusals = 5

const megabytes = (bytes: number): string => {
  const mb = bytes / 1_000_000
  return mb < 0.1 ? "less than 0.1 MB" : `${mb < 10 ? mb.toFixed(1).replace(".0", "") : Math.ceil(mb)} MB`
}

const nameOf = ({ name, kind }: MessageAttachment): string =>
  name === undefined || name.trim() === ""
    ? `The ${kind === "document" ? "file" : kind === "voice" ? "voice message" : kind}`
    : `"${name}"`

/** Returns undefined if the attachment is accepted. An unknown size is discovered by the download. */
const refusal = (attachment: MessageAttachment, { downloadBytes, hasTranscriber }: SiftOptions): string | undefined => {
  if (attachment.kind === "voice" && !hasTranscriber) return texts.noVoice
  if (downloadBytes === undefined) return texts.noFiles(nameOf(attachment))
  const { bytes } = attachment
  if (bytes === undefined || bytes <= downloadBytes) return undefined
  return texts.tooLarge(nameOf(attachment), megabytes(bytes), megabytes(downloadBytes))
}

export const hasText = (text: string): boolean => /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u.test(text)

/** In UTF-16 units. People do not write that much by hand, and pasted text is better sent as a file. */
export const longestText = 100_000

export const sift = (message: ChannelMessage, options: SiftOptions): Sifted => {
  if (message.text.length > longestText) {
    return { message, notices: [texts.tooLong(message.text.length, longestText)], isEmpty: true }
  }
  const checked = message.attachments.map((attachment) => ({ attachment, problem: refusal(attachment, options) }))
  const possible = checked.flatMap(({ attachment, problem }) => (problem === undefined ? [attachment] : []))
  const attachments = possible.slice(0, mostFiles)
  const dropped = possible.length - attachments.length
  const refusals = [...new Set(checked.flatMap(({ problem }) => problem ?? []))]
  const more = refusals.length - mostRefusals
  const notices = [
    ...refusals.slice(0, mostRefusals),
    ...(more > 0 ? [texts.moreNotTaken(more)] : []),
    ...(dropped > 0 ? [texts.tooManyFiles(dropped, mostFiles)] : [])
  ]
  const isEmpty = attachments.length === 0 && !hasText(message.text)
  return {
    message: { ...message, attachments },
    notices: isEmpty && notices.length === 0 ? [texts.nothingInIt] : notices,
    isEmpty
  }
}

const longestId = 256

const isSound = (id: string): boolean => id !== "" && id.length <= longestId && !/[\p{Cc}\p{Cs}]/u.test(id)

const idsOf = (incoming: Incoming): ReadonlyArray<string | undefined> => {
  switch (incoming._tag) {
    case "Message": {
      const { conversation, updateId, messageId, sender } = incoming.message
      return [...conversationParts(conversation), updateId, messageId, sender.id]
    }
    case "Edited":
    case "Pressed":
      return [...conversationParts(incoming.conversation), incoming.updateId, incoming.messageId, incoming.sender.id]
    case "StopAsked":
      return [...conversationParts(incoming.conversation), incoming.updateId, incoming.sender.id]
    case "Moved":
      return [...conversationParts(incoming.conversation), incoming.updateId, incoming.chatId]
    case "Left":
      return [...conversationParts(incoming.conversation), incoming.updateId]
    case "Receipt":
      return [incoming.updateId, incoming.key, incoming.messageId]
  }
}

/** Whether the ids of an update can be stored: bounded, and without characters that a store or log refuses. */
export const hasSoundIds = (incoming: Incoming): boolean =>
  idsOf(incoming).every((id) => id === undefined || isSound(id))
