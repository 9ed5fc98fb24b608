/** Answers to presses: past all queues, and without a failure for people: what comes too late is of no use to them. */
import { Effect, Predicate } from "effect"
import type { Channel } from "../../../bridge/messages/Channel.ts"
import { shortLine } from "../../../contract/text/oneLine.ts"
import { type Client, deadlines } from "../calls/client.ts"

/** In UTF-16 units. */
const longest = 200

export const makeAcknowledge =
  ({ call }: Pick<Client, "call">): Channel["acknowledge"] =>
  ({ press }, text) => {
    const id = Predicate.hasProperty(press, "id") ? press.id : undefined
    if (typeof id !== "string") return Effect.void
    const shown = text === undefined ? "" : shortLine(text, longest)
    return call(
      "answerCallbackQuery",
      { callback_query_id: id, ...(shown === "" ? {} : { text: shown }) },
      deadlines.acknowledgement
    ).pipe(Effect.catch((failure) => Effect.logDebug("a press could not be acknowledged", { reason: failure._tag })))
  }
