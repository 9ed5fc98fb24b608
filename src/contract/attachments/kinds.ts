/** The kind of a file by its first bytes, by its name, and by its media type; pure. */
import type { AttachmentKind } from "../Attachment.ts"

export interface FileKind {
  readonly kind: AttachmentKind
  readonly mediaType: string
}

interface Format extends FileKind {
  /** The first is the usual one. */
  readonly endings: ReadonlyArray<string>
  /** Other names of the media type. */
  readonly aliases?: ReadonlyArray<string>
  readonly matches: (bytes: Uint8Array) => boolean
}

const latin1 = (bytes: Uint8Array, from: number, length: number) =>
  String.fromCharCode(...bytes.subarray(from, from + length))

const begins =
  (text: string, at = 0) =>
  (bytes: Uint8Array) =>
    latin1(bytes, at, text.length) === text

const isRiff = (form: string) => (bytes: Uint8Array) => begins("RIFF")(bytes) && begins(form, 8)(bytes)

/** An ID3 tag of version 2 to 4, or a frame of layer III. */
const isMp3 = (bytes: Uint8Array) =>
  (begins("ID3")(bytes) && (bytes[3] ?? 0) <= 4) ||
  (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2 && (bytes[2] ?? 0xff) >> 4 !== 0xf)

const formats: ReadonlyArray<Format> = [
  { kind: "image", mediaType: "image/png", endings: ["png"], matches: begins("\x89PNG\r\n\x1a\n") },
  {
    kind: "image",
    mediaType: "image/jpeg",
    endings: ["jpg", "jpeg", "jpe"],
    aliases: ["image/jpg", "image/pjpeg"],
    matches: begins("\xff\xd8\xff")
  },
  {
    kind: "image",
    mediaType: "image/gif",
    endings: ["gif"],
    matches: (bytes) => begins("GIF87a")(bytes) || begins("GIF89a")(bytes)
  },
  { kind: "image", mediaType: "image/webp", endings: ["webp"], matches: isRiff("WEBP") },
  {
    kind: "pdf",
    mediaType: "application/pdf",
    endings: ["pdf"],
    aliases: ["application/x-pdf"],
    matches: begins("%PDF-")
  },
  {
    kind: "audio",
    mediaType: "audio/wav",
    endings: ["wav"],
    aliases: ["audio/x-wav", "audio/wave"],
    matches: isRiff("WAVE")
  },
  { kind: "audio", mediaType: "audio/mpeg", endings: ["mp3"], aliases: ["audio/mp3"], matches: isMp3 }
]

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** UTF-8 without NUL. */
const isText = (bytes: Uint8Array): boolean => {
  if (bytes.includes(0)) return false
  try {
    utf8.decode(bytes)
    return true
  } catch {
    return false
  }
}

export const kindOfBytes = (bytes: Uint8Array): FileKind | undefined => {
  const format = formats.find(({ matches }) => matches(bytes))
  if (format !== undefined) return format
  return isText(bytes) ? { kind: "text", mediaType: "text/plain" } : undefined
}

const textTypes =
  /^(text\/[\w.+-]{1,100}|application\/(json|xml|yaml|x-yaml|toml|javascript|typescript|sql)|[\w.+-]{1,100}\/[\w.+-]{1,100}\+(json|xml|yaml))$/

/** The kind of a media type, without its parameters; undefined for one that cannot be attached. */
export const kindOfMediaType = (text: string): FileKind | undefined => {
  const mediaType = (text.split(";", 1)[0] ?? "").trim().toLowerCase()
  const format = formats.find((known) => known.mediaType === mediaType || known.aliases?.includes(mediaType))
  if (format !== undefined) return { kind: format.kind, mediaType: format.mediaType }
  return textTypes.test(mediaType) ? { kind: "text", mediaType } : undefined
}

const endingOf = (name: string) => /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase()

/** The kind by the ending of a name; undefined if it belongs to none of the formats. */
export const kindOfName = (name: string): AttachmentKind | undefined =>
  formats.find(({ endings }) => endings.includes(endingOf(name) ?? ""))?.kind

/** Endings of text files; with others a program may take a text for an image or a film. */
const textEndings =
  /^(txt|md|csv|tsv|log|json|xml|html?|svg|ya?ml|toml|ini|sql|sh|css|[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|php|[ch](pp)?)$/

/** The name with an ending by which programs know the type. */
export const withEnding = (name: string, { mediaType }: FileKind): string => {
  const format = formats.find((known) => known.mediaType === mediaType)
  if (format === undefined) return textEndings.test(endingOf(name) ?? "") ? name : `${name}.txt`
  return format.endings.includes(endingOf(name) ?? "") ? name : `${name}.${format.endings[0]}`
}

export const kindWords: Readonly<Record<AttachmentKind, string>> = {
  image: "images (PNG, JPEG, GIF, WebP)",
  pdf: "PDF files",
  text: "text (UTF-8)",
  audio: "sounds (WAV, MP3)"
}
