/**
 * Sessions by their resume lines: the last message about a turn has one, and a reply to it, or a message with the line,
 * goes on with that session. People choose among those of their own chat; admins among all.
 */
import { Effect, Stream } from "effect"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { History } from "../../conversations/history/History.ts"
import { cliIds, findResumeLine, parseResumeLine, resumeLine } from "../../conversations/ResumeLine.ts"
import { isAtLeast, type Role } from "../access/AccessOptions.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { conversationParts } from "../messages/Conversation.ts"
import { texts } from "../texts.ts"
import type { Core } from "../turn/core.ts"

/** Without its back-ticks; undefined: there is nothing to go on with, or no command for it. */
export const resumeLineOf = (
  cli: string,
  { outcome, sessionId }: Pick<AgentRunResult, "outcome" | "sessionId">
): string | undefined => {
  const known = cliIds.find((id) => id === cli)
  if (known === undefined || outcome !== "completed" || sessionId === undefined) return undefined
  try {
    return resumeLine({ cli: known, sessionId }).replaceAll("`", "")
  } catch {
    // The CLI reports an id that its own command cannot take.
    return undefined
  }
}

/** A line that somebody quotes in their own words is that of another message. */
export const lineIn = (text: string) => findResumeLine(text, { quotes: false })

const targetOf = ({ text, replyTo }: ChannelMessage) => {
  const own = lineIn(text)
  if (own !== undefined || replyTo?.ours !== true) return own
  return parseResumeLine(replyTo.text ?? "")
}

/** What the agent is asked: the line is for the bridge. */
const withoutLine = (text: string) =>
  text
    .split("\n")
    .filter((line) => lineIn(line) === undefined)
    .join("\n")
    .trim()

export interface Picked {
  readonly message: ChannelMessage
  /** For the person. */
  readonly told?: string
}

/** The same for the same message, but for what is told: a turn that is taken up again has the same prompt. */
export const makeResuming = (
  history: Pick<History, "adopt" | "get" | "list">,
  core: Pick<Core, "answerer" | "close">
) =>
  Effect.fnUntraced(function* (given: ChannelMessage, role: Role): Effect.fn.Return<Picked, StoreError> {
    const target = targetOf(given)
    if (target === undefined) return { message: given }
    const { replyTo: _, ...plain } = given
    // The message that shows another turn is no part of the question.
    const message = lineIn(given.text) === undefined ? plain : { ...given, text: withoutLine(given.text) }
    const key = conversationParts(given.conversation)
    const { cli } = yield* core.answerer(given.conversation)
    if (target.cli !== cli) return { message, told: texts.sessionOfOther(target.cli) }
    const present = yield* Effect.orElseSucceed(history.get({ conversation: key, cli }), () => undefined)
    if (present?.sessionId === target.sessionId) return { message }
    const listed = yield* Stream.runCollect(history.list({ conversation: key, all: true, limit: 200 }))
    const isOwn = listed.some((session) => session.cli === cli && session.sessionId === target.sessionId)
    if (!isOwn && !isAtLeast(role, "admin")) return { message, told: texts.noSuchSession(target.sessionId) }
    yield* core.close(given.conversation)
    return yield* history.adopt({ cli, sessionId: target.sessionId }, { conversation: key }).pipe(
      Effect.as({ message, told: texts.resumedHere(target.sessionId.slice(0, 8)) }),
      Effect.orElseSucceed(() => ({ message, told: texts.noSuchSession(target.sessionId) }))
    )
  })
