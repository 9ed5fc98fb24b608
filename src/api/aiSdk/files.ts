/** A file of a message → an attachment; pure. The AI SDK has loaded what a URL leads to, as no URL is said to be supported. */

import type { DataAttachment } from "../../contract/Attachment.ts"
import { kindOfBytes } from "../../contract/attachments/kinds.ts"
import type { FilePart } from "./spec.ts"

/** A type and its subtype; `image` and `image/*` are none. */
const full = /^[\w.+-]+\/[\w.+-]+(;.*)?$/

/** Undefined for a file that is not here: a URL, or the name of a file that another provider keeps. */
const bytesOf = (data: FilePart["data"]): Uint8Array | undefined => {
  if (data.type === "text") return new TextEncoder().encode(data.text)
  if (data.type !== "data") return undefined
  return typeof data.data === "string" ? Uint8Array.from(Buffer.from(data.data, "base64")) : data.data
}

/** The attachment, or why it is none. Its bytes are checked when the agent reads them. */
export const attachmentOf = ({ data, mediaType, filename }: FilePart): DataAttachment | string => {
  const bytes = bytesOf(data)
  if (bytes === undefined)
    return `a file by ${data.type === "url" ? "its URL" : "a provider's reference"}: pass its bytes`
  const known = full.test(mediaType) ? mediaType : kindOfBytes(bytes)?.mediaType
  if (known === undefined)
    return `a file of a format that is not known: say its media type, not "${mediaType.slice(0, 50)}"`
  const name = filename === undefined || filename === "" ? {} : { name: filename }
  return { data: bytes, mediaType: known, ...name }
}
