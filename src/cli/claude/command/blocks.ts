/** A text and its attachments → the content of a message on stdin, in the blocks of the Messages API (2.1.328); pure. */
import { base64Of, type LoadedAttachment, textOf } from "../../../contract/Attachment.ts"
import type { TurnInput } from "../../Live.ts"

const blockOf = (attachment: LoadedAttachment) => {
  const { kind, mediaType, name } = attachment
  // The CLI puts the path of a copy behind each image; a document has its title alone.
  if (kind === "image") {
    return { type: "image", source: { type: "base64", media_type: mediaType, data: base64Of(attachment) } }
  }
  const source =
    kind === "text"
      ? { type: "text", media_type: "text/plain", data: textOf(attachment) }
      : { type: "base64", media_type: mediaType, data: base64Of(attachment) }
  return { type: "document", source, title: name }
}

/** Attachments come before the text, as the API recommends. */
export const contentOf = (text: string, { attachments = [] }: TurnInput = {}): string | ReadonlyArray<unknown> =>
  attachments.length === 0 ? text : [...attachments.map(blockOf), { type: "text", text }]
