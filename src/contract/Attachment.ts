/** Files and bytes that go with a prompt. */

/** A file, read when the run or the turn starts. */
export interface FileAttachment {
  /** Relative to the working directory; may lead out of it. A regular file. */
  readonly path: string
  /** The name that the model is shown, where the CLI shows one. Default: the name of the file. */
  readonly name?: string | undefined
  /** Such as `image/png`; refused if the bytes are of another type. Default: as the bytes tell. */
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
 * An image (PNG, JPEG, GIF, WebP), a PDF file, a text (UTF-8) or a sound (WAV, MP3): at most 10 MiB, 20 MiB in all, 20
 * for a prompt; images of at most 50 million pixels. Not every CLI takes every kind.
 */
export type Attachment = FileAttachment | DataAttachment
