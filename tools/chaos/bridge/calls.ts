/** The agreement of a host and the channel outside: the kind of the channel, and the calls. */
import type { Conversation } from "../../../src/bridge/messages/Conversation.ts"
import type { Pressed } from "../../../src/bridge/messages/Incoming.ts"
import type { MessageRef, Piece } from "../../../src/bridge/messages/ReplyPayload.ts"
import type { ScriptedChannelOptions } from "../../../src/testing/ScriptedChannel.ts"
import type { LaneKind } from "./plan.ts"

/** A call of a host. */
export type Call =
  | { readonly method: "send"; readonly to: Conversation; readonly piece: Piece; readonly key: string }
  | {
      readonly method: "find"
      readonly to: Conversation
      readonly piece: Piece
      readonly key: string
      readonly after?: string
    }
  | { readonly method: "edit"; readonly ref: MessageRef; readonly piece: Piece }
  | { readonly method: "remove"; readonly ref: MessageRef }
  | { readonly method: "acknowledge"; readonly press: Pressed; readonly text?: string }
  | { readonly method: "confirm"; readonly number: number }

export const channelOptions = (accountId: string, { lacks }: LaneKind): ScriptedChannelOptions => ({
  id: "outside",
  accountId,
  lacks,
  limits: { text: 600 }
})
