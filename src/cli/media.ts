/**
 * Images that a CLI reports with a tool result → `media` of its event; pure. An image is known by its bytes and not by the
 * words of the CLI: anything else, such as SVG or broken base64, is left out. No path or address is followed.
 */
import { Option, Predicate, Schema } from "effect"
import { attachmentLimits } from "../contract/Attachment.ts"
import { pixelsOf } from "../contract/attachments/checkAttachment.ts"
import { kindOfBytes } from "../contract/attachments/kinds.ts"
import { ImageType, type ToolMedia, type ToolResultEvent } from "../contract/ToolEvent.ts"
import { at, textAt } from "./jsonFields.ts"

/**
 * Limits of one result. CLIs scale what they show to a model: a screenshot is rarely above 1 MiB. In base64, and once more
 * in `raw`, all of them fit into the 16 MiB that a run or a feed keeps in memory.
 */
export const mediaLimits = { count: 16, bytes: 2 * 1024 * 1024, totalBytes: 4 * 1024 * 1024 }

/** Enough of the base64 to know the format. */
const headLength = 64

const imageTypeOf = Schema.decodeUnknownOption(ImageType)

/** Buffer ignores what is not base64: only a valid text comes out as it was. */
const isWhole = (data: string, content: Buffer) => content.toString("base64") === data

const canBeShown = (mediaType: ImageType, content: Buffer) => {
  const pixels = pixelsOf(mediaType, content)
  return pixels !== undefined && pixels <= attachmentLimits.pixels
}

/** `room`: bytes that are left for it. */
const entryOf = (data: string, room: number): ToolMedia | undefined => {
  const head = Buffer.from(data.slice(0, headLength), "base64")
  const mediaType = Option.getOrUndefined(imageTypeOf(kindOfBytes(head)?.mediaType))
  if (mediaType === undefined) return undefined
  const bytes = Buffer.byteLength(data, "base64")
  if (bytes > Math.min(room, mediaLimits.bytes)) return { mediaType, bytes }
  const content = Buffer.from(data, "base64")
  if (!isWhole(data, content)) return undefined
  return canBeShown(mediaType, content) ? { mediaType, bytes, data } : { mediaType, bytes }
}

/** An entry that a CLI has made itself can be without its bytes. */
const checked = ({ mediaType, bytes, data }: ToolMedia, room: number): ToolMedia | undefined => {
  if (data !== undefined) return entryOf(data, room)
  return Option.isSome(imageTypeOf(mediaType)) && Number.isSafeInteger(bytes) && bytes > 0
    ? { mediaType, bytes }
    : undefined
}

const bounded = <A>(
  items: Iterable<A>,
  entry: (item: A, room: number) => ToolMedia | undefined
): Pick<ToolResultEvent, "media"> => {
  const media: Array<ToolMedia> = []
  let room = mediaLimits.totalBytes
  for (const item of items) {
    if (media.length === mediaLimits.count) break
    const image = entry(item, room)
    if (image === undefined) continue
    media.push(image)
    if (image.data !== undefined) room -= image.bytes
  }
  return media.length === 0 ? {} : { media }
}

/** The member of the event, from images in base64. */
export const mediaOf = (images: Iterable<string>): Pick<ToolResultEvent, "media"> => bounded(images, entryOf)

/** The same from entries that are not known to be bounded. */
export const boundedMedia = (media: ReadonlyArray<ToolMedia>): Pick<ToolResultEvent, "media"> => bounded(media, checked)

/** The base64 of a `data:` URL. */
export const base64OfUrl = (url: unknown): ReadonlyArray<string> => {
  const head = Predicate.isString(url) ? /^data:[^,]{0,200};base64,/i.exec(url)?.[0] : undefined
  return head === undefined ? [] : [String(url).slice(head.length)]
}

/** The image in a content block of MCP, or in the file that it embeds. */
export const imagesOfBlock = (block: unknown): ReadonlyArray<string> => {
  const found = at(block, "type") === "image" ? textAt(block, "data") : textAt(block, "resource", "blob")
  return found === undefined ? [] : [found]
}
