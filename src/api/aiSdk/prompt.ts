/** A prompt of the AI SDK → what an agent is asked; pure. */

import type { DataAttachment } from "../../contract/Attachment.ts"
import { attachmentLimits } from "../../contract/attachments.ts"
import { attachmentOf } from "./files.ts"
import type { Message, MessagePart, Prompt, Warning } from "./spec.ts"
import { withTranscript } from "./transcript.ts"

/** What is asked. */
export interface Question {
  readonly prompt: string
  readonly attachments: ReadonlyArray<DataAttachment>
  /** The system messages; absent without any. */
  readonly system?: string
  readonly warnings: ReadonlyArray<Warning>
  /** A part of the message to answer that no agent can be given: without it the answer would be one to another question. */
  readonly unsupported?: string
}

/** Of the reasoning of earlier answers nothing is said: an agent gets its own from its session, and no other's. */
const known: ReadonlySet<string> = new Set(["text", "file", "reasoning", "tool-call", "tool-result"])

const partsOf = ({ content }: Message): ReadonlyArray<MessagePart> => (typeof content === "string" ? [] : content)

const textOf = (messages: ReadonlyArray<Message>): string =>
  messages
    .flatMap(partsOf)
    .flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : []))
    .join("\n\n")

const unsupported = (details: string): Warning => ({ type: "unsupported", feature: "part of a message", details })

/** Each an attachment, or why it is none. */
const filesOf = (messages: ReadonlyArray<Message>) =>
  messages.flatMap(partsOf).flatMap((part) => (part.type === "file" ? [attachmentOf(part)] : []))

/** Those of the message to answer, and the newest of the earlier ones that a prompt has room for. */
const filesFor = (before: ReadonlyArray<Message>, asked: ReadonlyArray<Message>) => {
  const all = filesOf(before)
  const earlier = all.filter((file) => typeof file !== "string")
  const own = filesOf(asked)
  const attachments = own.filter((file) => typeof file !== "string")
  const left = Math.max(0, earlier.length + attachments.length - attachmentLimits.count)
  return {
    attachments: [...earlier.slice(left), ...attachments],
    problems: [
      ...all.filter((file) => typeof file === "string"),
      ...(left === 0
        ? []
        : [`${left} of the files of earlier messages: a prompt has ${attachmentLimits.count} at most`])
    ],
    refused: own.find((file) => typeof file === "string")
  }
}

/** @param isResumed The agent's session has the messages before the last ones of the user. */
export const readPrompt = (messages: Prompt, isResumed: boolean): Question => {
  const system = messages.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n\n")
  const turns = messages.filter(({ role }) => role !== "system")
  const at = turns.findLastIndex(({ role }) => role !== "user") + 1
  const before = isResumed ? [] : turns.slice(0, at)
  const asked = turns.slice(at)
  const { attachments, problems, refused } = filesFor(before, asked)
  const others = before.flatMap(partsOf).filter(({ type }) => !known.has(type))
  return {
    prompt: isResumed && asked.length === 0 ? "Go on." : withTranscript(before, textOf(asked)),
    attachments,
    ...(system === "" ? {} : { system }),
    warnings: [...others.map(({ type }) => `a part of type ${type}`), ...problems].map(unsupported),
    ...(refused === undefined ? {} : { unsupported: refused })
  }
}
