/** After a channel has put a chat off for a minute or longer, its people are told why they had to wait, once. */
import { Effect } from "effect"
import type { PacerOptions } from "../delivery/pacer.ts"
import type { Channel } from "../messages/Channel.ts"
import { texts } from "../texts.ts"
import type { Voice } from "./voice.ts"

export const heldNotice =
  (
    { id, accountId }: Pick<Channel, "id" | "accountId">,
    voice: Pick<Voice, "say">
  ): NonNullable<PacerOptions["onHeld"]> =>
  ({ scope, chatId, heldMs }) => {
    const told = Effect.logWarning(
      `the channel ${id} (${accountId}) took nothing more for ${Math.round(heldMs / 1000)} s`
    )
    // Of edits nobody has missed anything, and of an account it would be told in many chats.
    if (scope !== "chat" || chatId === undefined) return told
    const conversation = { channel: id, accountId, chatId }
    return Effect.andThen(
      told,
      Effect.ignore(voice.say(conversation, { text: texts.wasHeld(heldMs) }, `${chatId}/held/${crypto.randomUUID()}`))
    )
  }
