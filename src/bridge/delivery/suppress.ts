/**
 * Avoids repeating messages that the agent has sent itself: only if the text is equal, went to the same place in this
 * turn, and did not fail. Never by similarity; pure.
 */
import { sameText } from "../format/richText.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { SentMessage } from "../messages/McpSideEffects.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"

/** How a tool's send affects the answer: `equal` texts are not repeated; `silent` drops the answer after any send. */
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

/** The payloads that remain. Errors always do; so do files that the agent has not sent itself, and buttons. */
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
