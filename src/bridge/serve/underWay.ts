/** Turns under way on an account: for whom each works, and what it may do by its tools. Whoever takes part limits it. */

import { isAtLeast, type Role } from "../access/AccessOptions.ts"
import type { GatewayTurn } from "../gateway/gatewayContext.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"

export interface UnderWay {
  readonly of: (conversation: Conversation) => GatewayTurn | undefined
  readonly begin: (conversation: Conversation, turn: GatewayTurn) => void
  /** Somebody else has a say in the turn: it may do no more than each of them. */
  readonly join: (conversation: Conversation, role: Role) => void
  readonly end: (conversation: Conversation) => void
}

/** The least of several; a user's, where there are none. */
export const leastRole = ([first = "user", ...others]: ReadonlyArray<Role>): Role =>
  others.reduce((least, role) => (isAtLeast(role, least) ? least : role), first)

export const makeUnderWay = (): UnderWay => {
  const turns = new Map<string, GatewayTurn>()
  return {
    of: (conversation) => turns.get(conversationText(conversation)),
    begin: (conversation, turn) => void turns.set(conversationText(conversation), turn),
    join: (conversation, role) => {
      const text = conversationText(conversation)
      const turn = turns.get(text)
      if (turn !== undefined) turns.set(text, { ...turn, role: leastRole([turn.role, role]) })
    },
    end: (conversation) => void turns.delete(conversationText(conversation))
  }
}
