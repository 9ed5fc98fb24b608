/** The bytes of an attachment and the claims of its caller → the attachment for a CLI, or its problem; pure. */
import { basename } from "node:path"
import { Result } from "effect"
import { type AttachmentKind, attachmentLimits, type LoadedAttachment } from "../Attachment.ts"
import { withoutInvisible } from "../text/harmless.ts"
import { type FileKind, kindOfBytes, kindOfMediaType, kindOfName, kindWords, withEnding } from "./kinds.ts"

export interface AttachmentFacts {
  readonly place: number
  readonly bytes: Uint8Array
  readonly name?: string | undefined
  readonly mediaType?: string | undefined
  /** Absolute path. */
  readonly path?: string | undefined
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const pngPixels = (view: DataView) => view.getUint32(16) * view.getUint32(20)

const gifPixels = (view: DataView) => view.getUint16(6, true) * view.getUint16(8, true)

/** Frame headers; the other markers of their range are tables (C4, CC) and an extension (C8). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Segment by segment, to the header of the first frame. */
const jpegPixels = (view: DataView) => {
  let at = 2
  while (at < view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (isFrame(marker)) return view.getUint16(at + 5) * view.getUint16(at + 7)
    // Fill bytes, and markers without a segment.
    if (marker === 0xff) at += 1
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

const uint24 = (view: DataView, at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000

const webpPixels = (view: DataView) => {
  const format = view.getUint8(15)
  // "VP8X": extended; "VP8L": lossless; "VP8 ": lossy.
  if (format === 0x58) return (uint24(view, 24) + 1) * (uint24(view, 27) + 1)
  if (format === 0x20) return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff)
  if (format !== 0x4c) return undefined
  const sizes = view.getUint32(21, true)
  return ((sizes & 0x3fff) + 1) * (((sizes >>> 14) & 0x3fff) + 1)
}

const readers: Readonly<Record<string, (view: DataView) => number | undefined>> = {
  "image/png": pngPixels,
  "image/jpeg": jpegPixels,
  "image/gif": gifPixels,
  "image/webp": webpPixels
}

/** Width × height by the header, since a small file can take gigabytes to decode. Undefined if it is damaged. */
export const pixelsOf = (mediaType: string, bytes: Uint8Array): number | undefined => {
  try {
    const pixels = readers[mediaType]?.(viewOf(bytes))
    return pixels === 0 ? undefined : pixels
  } catch {
    // Reading beyond the end throws.
    return undefined
  }
}

const longestName = 200

/** Well-formed: neither the cut nor the caller leaves half of a character. */
const nameLine = (name: string) => {
  const line = withoutInvisible(name).trim()
  return line.length <= longestName ? line : `${withoutInvisible(line.slice(0, longestName - 1))}…`
}

/** A name for messages, before the file is read. */
export const nameOf = ({ place, name, path }: Omit<AttachmentFacts, "bytes">): string =>
  nameLine(name ?? (path === undefined ? "" : basename(path))) || `attachment ${place}`

const longestStem = 60

/** Starts with the place, so that the order of names is that of the attachments, and no name is a flag. */
const fileNameOf = (place: number, name: string, found: FileKind) => {
  const plain = name.replace(/[^A-Za-z0-9._-]+/g, "_").replace(/\.+/g, ".")
  const short = plain.length <= longestStem ? plain : plain.slice(-longestStem)
  return withEnding(`${String(place).padStart(2, "0")}-${short.replace(/^[-._]+/, "")}`, found)
}

const named = ({ kind, mediaType }: FileKind) => (kind === "text" ? "text" : mediaType)

const problemOf = (
  { bytes, mediaType, name, path }: AttachmentFacts,
  found: FileKind | undefined
): string | undefined => {
  if (bytes.length === 0) return "is empty"
  const declared = mediaType === undefined ? undefined : kindOfMediaType(mediaType)
  const all = Object.values(kindWords).join(", ")
  if (mediaType !== undefined && declared === undefined) {
    return `has the media type ${JSON.stringify(nameLine(mediaType))}, which cannot be attached: ${all} can`
  }
  if (found === undefined) return `is a binary file of a format that cannot be attached: ${all} can`
  if (declared !== undefined && named(declared) !== named(found)) {
    return `is not ${named(declared)}: its bytes are ${named(found)}`
  }
  const expectedKind = declared === undefined ? kindOfName(name ?? path ?? "") : undefined
  if (expectedKind !== undefined && expectedKind !== found.kind) {
    return `is not what its name says: its bytes are ${named(found)}. Rename it, or give its media type`
  }
  if (found.kind !== "image") return undefined
  const pixels = pixelsOf(found.mediaType, bytes)
  if (pixels === undefined) return `is a damaged image: the header of its ${found.mediaType} cannot be read`
  if (pixels <= attachmentLimits.pixels) return undefined
  return `has ${pixels} pixels; at most ${attachmentLimits.pixels} are taken: make it smaller`
}

/** Fails with the problem, to follow the name of the attachment. */
export const checkAttachment = (facts: AttachmentFacts): Result.Result<LoadedAttachment, string> => {
  const found = kindOfBytes(facts.bytes)
  const problem = problemOf(facts, found)
  if (problem !== undefined || found === undefined) return Result.fail(problem ?? "")
  const { bytes, place, path, mediaType } = facts
  const declared = mediaType === undefined ? undefined : kindOfMediaType(mediaType)
  const name = facts.name === undefined && path === undefined ? withEnding(`attachment-${place}`, found) : nameOf(facts)
  return Result.succeed({
    kind: found.kind,
    mediaType: (declared ?? found).mediaType,
    name,
    fileName: fileNameOf(place, name, found),
    bytes,
    ...(path === undefined ? {} : { path })
  })
}

/** The problem with a kind that a CLI does not take, and the cure, to follow the name. */
export const kindProblem = (
  { path }: Pick<LoadedAttachment, "path">,
  taken: ReadonlySet<AttachmentKind>,
  cli: string
): string => {
  const words = [...taken].map((known) => kindWords[known]).join(", ")
  const instead =
    path === undefined ? "put its content into the prompt" : "name its path in the prompt, for the agent to read it"
  return `is of a kind that ${cli} does not take; it takes ${words}. Instead, ${instead}`
}
