/**
 * Attachments → blocks of a prompt of the Agent Client Protocol; pure. Bytes go in the blocks: by a link, the agent would
 * read the file itself, by other rules. A kind that the agent has not offered in `initialize` is refused.
 */
import { AttachmentRefused } from "../../../contract/AgentError.ts"
import { type AttachmentKind, base64Of, type LoadedAttachment, textOf } from "../../../contract/attachments.ts"
import type { PromptCapabilities } from "../wire.ts"

/** Half a character, which would throw, is what the file system takes it for: U+FFFD. */
const encoded = (part: string) => encodeURIComponent(part.toWellFormed())

const uriOf = ({ path, name }: LoadedAttachment) =>
  path === undefined ? `attachment:///${encoded(name)}` : `file://${path.split("/").map(encoded).join("/")}`

export const blockOf = (attachment: LoadedAttachment): object => {
  const { kind, mediaType: mimeType } = attachment
  if (kind === "image" || kind === "audio") return { type: kind, mimeType, data: base64Of(attachment) }
  const content = kind === "text" ? { text: textOf(attachment) } : { blob: base64Of(attachment) }
  return { type: "resource", resource: { uri: uriOf(attachment), mimeType, ...content } }
}

const capabilityOf: Readonly<Record<AttachmentKind, keyof PromptCapabilities>> = {
  image: "image",
  audio: "audio",
  pdf: "embeddedContext",
  text: "embeddedContext"
}

/** The first attachment that the agent does not take, refused. */
export const refusalOf = (
  attachments: ReadonlyArray<LoadedAttachment>,
  capabilities: PromptCapabilities,
  cli: string
): AttachmentRefused | undefined => {
  const refused = attachments.find(({ kind }) => capabilities[capabilityOf[kind]] !== true)
  if (refused === undefined) return undefined
  const problem = `is of a kind (${refused.kind}) that ${cli} does not take in this version: name its path in the prompt instead`
  return new AttachmentRefused({ attachment: refused.name, problem })
}
