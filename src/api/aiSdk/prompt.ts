/** A prompt of the AI SDK → the prompt and the attachments of a run; pure. */
import { attachmentLimits, type DataAttachment } from "../../contract/Attachment.ts"
import { kindOfBytes } from "../../contract/attachments/kinds.ts"
import type { FilePart, Message, MessagePart, Prompt, ToolOutput, Warning } from "./spec.ts"

// Earlier messages as text, for an agent that has not seen them: each is one line of JSON, so that no text of a message
// can pass for another message. `@` is escaped: CLIs read `@path` as a file to attach.

const line = (value: unknown): string => JSON.stringify(value).replaceAll("@", "\\u0040")

const outputOf = (output: ToolOutput): unknown => {
  if (output.type === "execution-denied") return { denied: output.reason ?? "" }
  if (output.type !== "content") return output.value
  return output.value.map((part) => (part.type === "text" ? part.text : `(a part of type ${part.type})`))
}

/** Text of one message part; undefined for parts that are left out. */
const reported = (part: MessagePart): unknown => {
  switch (part.type) {
    case "text":
      return part.text
    case "file":
      return { file: part.filename ?? part.mediaType }
    case "tool-call":
      return { tool: part.toolName, input: part.input }
    case "tool-result":
      return { resultOf: part.toolName, output: outputOf(part.output) }
    default:
      return undefined
  }
}

const partsOf = ({ content }: Message): ReadonlyArray<MessagePart> => (typeof content === "string" ? [] : content)

const lineOf = (message: Message): ReadonlyArray<string> => {
  const { role, content } = message
  const parts = typeof content === "string" ? [content] : partsOf(message).flatMap((part) => reported(part) ?? [])
  return parts.length === 0 ? [] : [line({ role, content: parts.length === 1 ? parts[0] : parts })]
}

/** `text`: the message to answer; empty if the conversation ends with an answer, which is to be continued. */
const withTranscript = (before: ReadonlyArray<Message>, text: string): string => {
  const lines = before.flatMap(lineOf)
  if (lines.length === 0) return text
  const task = text === "" ? "Go on from there." : `The message to answer:\n\n${text}`
  return `The conversation so far, each message as a line of JSON:\n\n${lines.join("\n")}\n\n${task}`
}

/** A type and its subtype; `image` and `image/*` do not match. */
const full = /^[\w.+-]+\/[\w.+-]+(;.*)?$/

/** Returns undefined for a URL, or for a file that another provider keeps. */
const bytesOf = (data: FilePart["data"]): Uint8Array | undefined => {
  if (data.type === "text") return new TextEncoder().encode(data.text)
  if (data.type !== "data") return undefined
  return typeof data.data === "string" ? Uint8Array.from(Buffer.from(data.data, "base64")) : data.data
}

/** The attachment, or the reason to refuse it. Its bytes are checked when the agent reads them. */
const attachmentOf = ({ data, mediaType, filename }: FilePart): DataAttachment | string => {
  const bytes = bytesOf(data)
  if (bytes === undefined)
    return `a file by ${data.type === "url" ? "its URL" : "a provider's reference"}: pass its bytes`
  const known = full.test(mediaType) ? mediaType : kindOfBytes(bytes)?.mediaType
  if (known === undefined)
    return `a file of a format that is not known: say its media type, not "${mediaType.slice(0, 50)}"`
  const name = filename === undefined || filename === "" ? {} : { name: filename }
  return { data: bytes, mediaType: known, ...name }
}

export interface Question {
  readonly prompt: string
  readonly attachments: ReadonlyArray<DataAttachment>
  /** The system messages; absent without any. */
  readonly system?: string
  readonly warnings: ReadonlyArray<Warning>
  /** A part of the message to answer that no agent takes: without it the answer would be to another question. */
  readonly unsupported?: string
}

/** Reasoning of earlier answers is left out: an agent gets its own from its session. */
const known: ReadonlySet<string> = new Set(["text", "file", "reasoning", "tool-call", "tool-result"])

const textOf = (messages: ReadonlyArray<Message>): string =>
  messages
    .flatMap(partsOf)
    .flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : []))
    .join("\n\n")

const unsupported = (details: string): Warning => ({ type: "unsupported", feature: "part of a message", details })

const filesOf = (messages: ReadonlyArray<Message>) =>
  messages.flatMap(partsOf).flatMap((part) => (part.type === "file" ? [attachmentOf(part)] : []))

/** Files of the message to answer, and the newest earlier ones that fit into a prompt. */
const filesFor = (before: ReadonlyArray<Message>, latest: ReadonlyArray<Message>) => {
  const all = filesOf(before)
  const earlier = all.filter((file) => typeof file !== "string")
  const own = filesOf(latest)
  const attachments = own.filter((file) => typeof file !== "string")
  const left = Math.max(0, earlier.length + attachments.length - attachmentLimits.count)
  return {
    attachments: [...earlier.slice(left), ...attachments],
    problems: [
      ...all.filter((file) => typeof file === "string"),
      ...(left > 0 ? [`${left} of the files of earlier messages: a prompt has ${attachmentLimits.count} at most`] : [])
    ],
    refused: own.find((file) => typeof file === "string")
  }
}

/** `isResumed`: whether the agent's session has the messages before the last ones of the user. */
export const readPrompt = (messages: Prompt, isResumed: boolean): Question => {
  const system = messages.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n\n")
  const turns = messages.filter(({ role }) => role !== "system")
  const at = turns.findLastIndex(({ role }) => role !== "user") + 1
  const before = isResumed ? [] : turns.slice(0, at)
  const latest = turns.slice(at)
  const { attachments, problems, refused } = filesFor(before, latest)
  const others = before.flatMap(partsOf).filter(({ type }) => !known.has(type))
  return {
    prompt: isResumed && latest.length === 0 ? "Go on." : withTranscript(before, textOf(latest)),
    attachments,
    ...(system === "" ? {} : { system }),
    warnings: [...others.map(({ type }) => `a part of type ${type}`), ...problems].map(unsupported),
    ...(refused === undefined ? {} : { unsupported: refused })
  }
}
