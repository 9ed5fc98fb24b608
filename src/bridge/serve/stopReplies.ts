/** Tells the sender of a stop, in the chat, that it was understood if the turn does not end at once. */
import { Effect } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { texts } from "../texts.ts"
import { keyOf } from "./intake.ts"
import { Replies } from "./replies.ts"
import { isOverSoon } from "./runningTurns.ts"

/** Completes when the turn is over. */
export const stopAcknowledgement = Effect.map(Replies, ({ send }) =>
  Effect.fn(...untraced("StopReplies.acknowledge"))(function* (
    stop: Pick<ChannelMessage, "conversation" | "updateId">,
    over: Effect.Effect<void>
  ) {
    if (yield* isOverSoon(over)) return
    yield* send(stop.conversation, { text: texts.stopping, silent: true }, keyOf(stop, "stopping"))
    yield* over
  })
)
