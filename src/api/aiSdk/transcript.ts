/**
 * The messages before the one to answer, as text for an agent that has not seen them; pure. Each is one line of JSON, so that no
 * text of a message can pass for another message. `@` is written as its escape: CLIs read `@path` as a file to attach.
 */
import type { Message, MessagePart, ToolOutput } from "./spec.ts"

const line = (value: unknown): string => JSON.stringify(value).replaceAll("@", "\\u0040")

const outputOf = (output: ToolOutput): unknown => {
  if (output.type === "execution-denied") return { denied: output.reason ?? "" }
  if (output.type !== "content") return output.value
  return output.value.map((part) => (part.type === "text" ? part.text : `(a part of type ${part.type})`))
}

/** What an agent is told of one part of a message; undefined for what it is not told. */
const told = (part: MessagePart): unknown => {
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

const lineOf = ({ role, content }: Message): ReadonlyArray<string> => {
  const all: ReadonlyArray<MessagePart> = typeof content === "string" ? [] : content
  const parts = typeof content === "string" ? [content] : all.flatMap((part) => told(part) ?? [])
  return parts.length === 0 ? [] : [line({ role, content: parts.length === 1 ? parts[0] : parts })]
}

/** `text`: the message to answer; empty where the conversation ends with an answer, which is to be continued. */
export const withTranscript = (before: ReadonlyArray<Message>, text: string): string => {
  const lines = before.flatMap(lineOf)
  if (lines.length === 0) return text
  const task = text === "" ? "Go on from there." : `The message to answer:\n\n${text}`
  return `The conversation so far, each message as a line of JSON:\n\n${lines.join("\n")}\n\n${task}`
}
