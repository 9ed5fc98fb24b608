/** Which messages and attachments are taken, and what the sender is told of the others; pure. */
import type { ChannelMessage, MessageAttachment } from "../messages/ChannelMessage.ts"
import { texts } from "../texts.ts"

export interface SiftOptions {
  /** What the channel can download; undefined: no files at all. */
  readonly downloadBytes: number | undefined
  /** Whether voice is made text. */
  readonly hasTranscriber?: boolean | undefined
}

export interface Sifted {
  /** With the attachments that are taken. */
  readonly message: ChannelMessage
  /** One line for each that is not. */
  readonly told: ReadonlyArray<string>
  /** Nothing is left that an agent could answer. */
  readonly isEmpty: boolean
}

/** In one message, however many parts it has. */
const mostFiles = 20
/** Lines of one kind. */
const mostTold = 5

const megabytes = (bytes: number): string => {
  const mb = bytes / 1_000_000
  return mb < 0.1 ? "less than 0.1 MB" : `${mb < 10 ? mb.toFixed(1).replace(".0", "") : Math.ceil(mb)} MB`
}

const nameOf = ({ name, kind }: MessageAttachment): string =>
  name === undefined || name.trim() === "" ? `The ${kind === "document" ? "file" : kind}` : `"${name}"`

/** Undefined: it is taken. A size that is not known is found out by the download. */
const refusal = (attachment: MessageAttachment, { downloadBytes, hasTranscriber }: SiftOptions): string | undefined => {
  if (attachment.kind === "voice" && hasTranscriber !== true) return texts.noVoice
  if (downloadBytes === undefined) return texts.noFiles(nameOf(attachment))
  const { bytes } = attachment
  if (bytes === undefined || bytes <= downloadBytes) return undefined
  return texts.tooLarge(nameOf(attachment), megabytes(bytes), megabytes(downloadBytes))
}

const hasText = (text: string): boolean => /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u.test(text)

/** In UTF-16 units: what people write by hand is never so long, and a file is better for what they paste. */
export const longestText = 100_000

export const sift = (message: ChannelMessage, options: SiftOptions): Sifted => {
  if (message.text.length > longestText) {
    return { message, told: [texts.tooLong(message.text.length, longestText)], isEmpty: true }
  }
  const judged = message.attachments.map((attachment) => ({ attachment, told: refusal(attachment, options) }))
  const possible = judged.flatMap(({ attachment, told }) => (told === undefined ? [attachment] : []))
  const attachments = possible.slice(0, mostFiles)
  const dropped = possible.length - attachments.length
  const refused = [...new Set(judged.flatMap(({ told }) => told ?? []))]
  const more = refused.length - mostTold
  const told = [
    ...refused.slice(0, mostTold),
    ...(more > 0 ? [texts.moreNotTaken(more)] : []),
    ...(dropped > 0 ? [texts.tooManyFiles(dropped, mostFiles)] : [])
  ]
  const isEmpty = attachments.length === 0 && !hasText(message.text)
  return {
    message: { ...message, attachments },
    told: isEmpty && told.length === 0 ? [texts.nothingInIt] : told,
    isEmpty
  }
}
