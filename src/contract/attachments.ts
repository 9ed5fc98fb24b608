/** Attachments as a caller gives them, checked by schema, and as a CLI gets them: read, and checked by their bytes. */
import { Predicate, Schema } from "effect"
import type { Attachment } from "./Attachment.ts"

/** The most that goes with one prompt. */
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

/** Not a union of structs, whose errors would speak of the wrong one. */
const AnyAttachment = Schema.declare(isAttachment, {
  expected:
    "an attachment: { path } of a file, or { data, mediaType } with a Uint8Array; name is optional, as is mediaType of a file"
})

export const Attachments = Schema.Array(AnyAttachment).check(Schema.isMaxLength(attachmentLimits.count))

/** What an attachment is, by its bytes. */
export const attachmentKinds = ["image", "pdf", "text", "audio"] as const
export type AttachmentKind = (typeof attachmentKinds)[number]

/** An attachment that was read: its bytes are of the kind and within the limits. */
export interface LoadedAttachment {
  readonly kind: AttachmentKind
  /** Of an image `image/png`, `image/jpeg`, `image/gif` or `image/webp`; of a sound `audio/wav` or `audio/mpeg`. */
  readonly mediaType: string
  /** One line, for the model and for people. */
  readonly name: string
  /** For a file with these bytes: ASCII letters, digits, `.`, `_` and `-`, with the ending of its kind. Unique, and in order. */
  readonly fileName: string
  readonly bytes: Uint8Array
  /** Absolute path of the file that it was read from; absent for bytes of the caller. */
  readonly path?: string
}

export const base64Of = ({ bytes }: LoadedAttachment): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")

/** Of an attachment of kind `text`. */
export const textOf = ({ bytes }: LoadedAttachment): string => new TextDecoder().decode(bytes)
