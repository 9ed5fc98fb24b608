/**
 * The blocks of a prompt → its text and attachments; pure. A link names a place that the agent may read by its own rules;
 * embedded content goes along as bytes, or, for a CLI that takes no texts, in the prompt itself.
 */
import { Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { AttachmentRefused, InvalidParams } from "../../contract/AgentError.ts"
import type { AttachmentKind, DataAttachment } from "../../contract/Attachment.ts"
import { shortLine } from "../../contract/text/harmless.ts"
import { fence } from "../../conversations/export/markdownText.ts"
import type { ContentBlock } from "./requests.ts"

/** Text as a block of code. A line feed at its end does not start another line. */
export const fenced = (text: string): string => fence(text.replace(/\n$/, ""))

export interface Prompt {
  readonly text: string
  readonly attachments: ReadonlyArray<DataAttachment>
}

interface Part {
  /** Blocks of text are paragraphs; mentions are inline. */
  readonly isText: boolean
  readonly text: string
  readonly attachment?: DataAttachment
}

type Parted = Result.Result<Part, InvalidParams | AttachmentRefused>

const longestName = 200
/** The prompt of attachments alone: a turn needs a text. */
const onlyAttached = "Look at what is attached."
const fileUri = "file://"

const decoded = (part: string) => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The path of a file, else the address as it is. */
const placeOf = (uri: string) => (uri.startsWith(`${fileUri}/`) ? decoded(uri.slice(fileUri.length)) : uri)

const nameOf = (uri: string) => {
  const place = placeOf(uri).replace(/[?#].*$/, "")
  return shortLine(place.slice(place.lastIndexOf("/") + 1), longestName) || "attachment"
}

const invalid = (index: number, problem: string): Parted =>
  Result.fail(new InvalidParams({ option: `prompt.${index}`, problem }))

const bytesPart = (base64: string, mediaType: string, name: string): Parted =>
  Result.mapBoth(Base64.decode(base64), {
    onFailure: () => new AttachmentRefused({ attachment: name, problem: "is not base64" }),
    onSuccess: (data): Part => ({ isText: false, text: "", attachment: { data, mediaType, name } })
  })

const resourcePart = (
  { uri, text, blob, mimeType }: NonNullable<ContentBlock["resource"]>,
  takes: ReadonlySet<AttachmentKind>
): Parted => {
  const name = nameOf(uri)
  const mention = `[${name}](${placeOf(uri)})`
  if (text == null) {
    const bytes = bytesPart(blob ?? "", mimeType ?? "application/octet-stream", name)
    return Result.map(bytes, (part) => ({ ...part, text: mention }))
  }
  if (!takes.has("text") || text === "") {
    return Result.succeed({ isText: true, text: `${mention}:\n${fenced(text)}` })
  }
  const data = new TextEncoder().encode(text)
  return Result.succeed({ isText: false, text: mention, attachment: { data, mediaType: "text/plain", name } })
}

const partOf = (block: ContentBlock, index: number, takes: ReadonlySet<AttachmentKind>): Parted => {
  const { type, text, data, mimeType, uri, name, resource } = block
  if (type === "text") {
    return text == null ? invalid(index, "has no text") : Result.succeed({ isText: true, text })
  }
  if (type === "image" || type === "audio") {
    if (data == null || mimeType == null) return invalid(index, "needs data and mimeType")
    return bytesPart(data, mimeType, uri == null ? `${type}-${index + 1}` : nameOf(uri))
  }
  if (type === "resource_link") {
    if (uri == null) return invalid(index, "has no uri")
    return Result.succeed({ isText: false, text: `[${shortLine(name ?? nameOf(uri), longestName)}](${placeOf(uri)})` })
  }
  if (type === "resource" && resource != null) return resourcePart(resource, takes)
  return invalid(index, "is of a type that is not known here")
}

export const promptOf = (
  blocks: ReadonlyArray<ContentBlock>,
  takes: ReadonlySet<AttachmentKind>
): Result.Result<Prompt, InvalidParams | AttachmentRefused> => {
  const attachments: Array<DataAttachment> = []
  let text = ""
  let wasText = false
  for (const [index, block] of blocks.entries()) {
    const part = partOf(block, index, takes)
    if (Result.isFailure(part)) return Result.fail(part.failure)
    const { isText, attachment } = part.success
    text += (wasText && isText ? "\n" : "") + part.success.text
    wasText = isText
    if (attachment !== undefined) attachments.push(attachment)
  }
  const isBare = text.trim() === "" && attachments.length > 0
  return Result.succeed({ text: isBare ? onlyAttached : text, attachments })
}
