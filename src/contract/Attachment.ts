/** Files and bytes that go with a prompt: as callers pass them, and as CLIs get them, read and checked. */
import { Predicate, Schema } from "effect"

/** A file, read when the run or the turn starts. */
export interface FileAttachment {
  /** Relative to the working directory; may lead out of it. A regular file. */
  readonly path: string
  /** The name that the model is shown, where the CLI shows one. Default: the name of the file. */
  readonly name?: string | undefined
  /** Such as `image/png`; refused if the bytes are of another type. Default: the type of the bytes. */
  readonly mediaType?: string | undefined
}

/** Bytes that need no file. */
export interface DataAttachment {
  /** At most 10 MiB. */
  readonly data: Uint8Array
  /** Such as `image/png`; refused if the bytes are of another type. */
  readonly mediaType: string
  /** The name that the model is shown, where the CLI shows one. Default: `attachment-1.png`. */
  readonly name?: string | undefined
}

/**
 * An image (PNG, JPEG, GIF, WebP), a PDF file, a text (UTF-8) or a sound (WAV, MP3): at most 10 MiB and 50 million
 * pixels each, 20 MiB and 20 of them for a prompt. Not every CLI takes every kind.
 */
export type Attachment = FileAttachment | DataAttachment

/** Limits of the attachments of one prompt. */
export const attachmentLimits = { count: 20, bytes: 10 * 1024 * 1024, totalBytes: 20 * 1024 * 1024, pixels: 50_000_000 }

const names: ReadonlySet<string> = new Set(["path", "data", "name", "mediaType"])

const isWord = (value: unknown) => Predicate.isString(value) && value !== ""

const isAttachment = (input: unknown): input is Attachment => {
  if (!Predicate.isObject(input) || !Object.keys(input).every((name) => names.has(name))) return false
  const { path, data, name, mediaType }: { readonly [name: string]: unknown } = { ...input }
  if (name !== undefined && !isWord(name)) return false
  if (data === undefined) return isWord(path) && (mediaType === undefined || isWord(mediaType))
  return path === undefined && data instanceof Uint8Array && isWord(mediaType)
}

/** Not a union of structs: its errors would name the wrong one. */
const AnyAttachment = Schema.declare(isAttachment, {
  expected:
    "an attachment: { path } of a file, or { data, mediaType } with a Uint8Array; name is optional, as is mediaType of a file"
})

export const Attachments = Schema.Array(AnyAttachment).check(Schema.isMaxLength(attachmentLimits.count))

/** Kinds of attachments, by their bytes. */
export const attachmentKinds = ["image", "pdf", "text", "audio"] as const
export type AttachmentKind = (typeof attachmentKinds)[number]

/** An attachment that was read: its bytes are of the kind and within the limits. */
export interface LoadedAttachment {
  /** By its bytes. */
  readonly kind: AttachmentKind
  /** For an image `image/png`, `image/jpeg`, `image/gif` or `image/webp`; for a sound `audio/wav` or `audio/mpeg`. */
  readonly mediaType: string
  /** One line, for the model and for people. */
  readonly name: string
  /** For a file with these bytes: ASCII letters, digits, `.`, `_` and `-`, with the ending of its kind. Unique, and in order. */
  readonly fileName: string
  /** Its content. */
  readonly bytes: Uint8Array
  /** Absolute path of the file that it was read from; absent for bytes of the caller. */
  readonly path?: string
}

export const base64Of = ({ bytes }: LoadedAttachment): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")

/** The content of an attachment of kind `text`. */
export const textOf = ({ bytes }: LoadedAttachment): string => new TextDecoder().decode(bytes)
