/**
 * What the agent has said itself is not said again: only where the text is equal and went to the same place in this turn,
 * and did not fail. Never by likeness; pure.
 */
import { sameText } from "../format/richText.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { SentMessage } from "../messages/McpSideEffects.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"

/** What a tool's send does to the answer: `equal` texts are not repeated; `silent`: after any send there is no answer. */
export type OnToolSend = "equal" | "silent"

const wentTo = ({ target, state }: SentMessage, { channel, accountId, chatId, threadId }: Conversation) =>
  state !== "failed" &&
  target.provider === channel &&
  target.accountId === accountId &&
  target.to === chatId &&
  target.threadId === threadId

/** White space is folded, and nothing else. An empty text was never said. */
export const isSaid = (text: string, sends: ReadonlyArray<SentMessage>, conversation: Conversation): boolean =>
  text.trim() !== "" && sends.some((send) => wentTo(send, conversation) && sameText(send.text, text))

/** What is still to be said. Errors are, always; so are files that the agent has not sent itself, and buttons. */
export const unsaid = (
  payloads: ReadonlyArray<ReplyPayload>,
  sends: ReadonlyArray<SentMessage>,
  conversation: Conversation,
  onToolSend: OnToolSend = "equal"
): ReadonlyArray<ReplyPayload> => {
  const here = sends.filter((send) => wentTo(send, conversation))
  const sentMedia = new Set(here.flatMap(({ mediaUrls }) => mediaUrls))
  return payloads.flatMap((payload) => {
    const { text = "", mediaUrls = [], isError = false, buttons = [] } = payload
    if (isError || buttons.length > 0) return [payload]
    if (onToolSend === "silent" && here.length > 0) return []
    if (!isSaid(text, here, conversation)) return [payload]
    const rest = mediaUrls.filter((url) => !sentMedia.has(url))
    const { text: _, ...withoutText } = payload
    return rest.length === 0 ? [] : [{ ...withoutText, mediaUrls: rest }]
  })
}
