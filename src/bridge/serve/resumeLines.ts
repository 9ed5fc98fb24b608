/** Sessions by their resume lines, in messages and replies. People choose among those of their chat, admins among all. */
import { Effect, Stream } from "effect"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { History } from "../../conversations/history/History.ts"
import type { ResumableClis } from "../../conversations/ResumeLine.ts"
import { isAtLeast, type Role } from "../access/AccessOptions.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { conversationParts } from "../messages/Conversation.ts"
import { texts } from "../texts.ts"
import type { Core } from "../turn/core.ts"

/** The line without back-ticks; undefined if the session is missing, or has no command to resume it. */
export const resumeLineOf = (
  { lineOf }: ResumableClis,
  cli: string,
  { outcome, sessionId }: Pick<AgentRunResult, "outcome" | "sessionId">
): string | undefined =>
  outcome !== "completed" || sessionId === undefined ? undefined : lineOf({ cli, sessionId })?.replaceAll("`", "")

/** Ignores quotations: a resume line there belongs to another message. */
export const lineIn = ({ find }: ResumableClis, text: string) => find(text, { quotes: false })

const targetOf = (known: ResumableClis, { text, replyTo }: ChannelMessage) => {
  const own = lineIn(known, text)
  if (own !== undefined || replyTo?.ours !== true) return own
  return known.find(replyTo.text ?? "", { quotes: true })
}

/** The prompt without the resume line, which is for the bridge. */
const withoutLine = (known: ResumableClis, text: string) =>
  text
    .split("\n")
    .filter((line) => lineIn(known, line) === undefined)
    .join("\n")
    .trim()

export interface Picked {
  readonly message: ChannelMessage
  /** Text for the person. */
  readonly notice?: string
}

/** Attaches the session that a message names. The message is the same each time, so that the prompt is, too. */
export const makeSessionPicker = (
  known: ResumableClis,
  history: Pick<History, "adopt" | "get" | "list">,
  core: Pick<Core, "answerer" | "close">
) =>
  Effect.fnUntraced(function* (original: ChannelMessage, role: Role): Effect.fn.Return<Picked, StoreError> {
    const target = targetOf(known, original)
    if (target === undefined) return { message: original }
    const { replyTo: _, ...plain } = original
    // The quoted message of another turn is not part of the question.
    const message =
      lineIn(known, original.text) === undefined ? plain : { ...original, text: withoutLine(known, original.text) }
    const key = conversationParts(original.conversation)
    const { cli } = yield* core.answerer(original.conversation)
    if (target.cli !== cli) return { message, notice: texts.sessionOfOther(target.cli) }
    const present = yield* Effect.orElseSucceed(history.get({ conversation: key, cli }), () => undefined)
    if (present?.sessionId === target.sessionId) return { message }
    const listed = yield* Stream.runCollect(history.list({ conversation: key, all: true, limit: 200 }))
    const isOwn = listed.some((session) => session.cli === cli && session.sessionId === target.sessionId)
    if (!isOwn && !isAtLeast(role, "admin")) return { message, notice: texts.noSuchSession(target.sessionId) }
    yield* core.close(original.conversation)
    return yield* history.adopt({ cli, sessionId: target.sessionId }, { conversation: key }).pipe(
      Effect.as({ message, notice: texts.resumedHere(target.sessionId.slice(0, 8)) }),
      Effect.orElseSucceed(() => ({ message, notice: texts.noSuchSession(target.sessionId) }))
    )
  })
