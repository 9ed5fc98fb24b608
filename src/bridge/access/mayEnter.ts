/** Whether what was heard comes from somebody who may say it: the same for messages, edits, presses and stops; pure. */
import type { Incoming } from "../messages/Incoming.ts"
import { listsOf, type Policy, roleIn } from "./policy.ts"
import type { Role } from "./Role.ts"

/** What comes from a person. */
export type FromPerson = Exclude<Incoming, { readonly _tag: "Left" | "Moved" | "Receipt" }>

/**
 * `elsewhere`: of another account. `bot`, `not_a_person`: another program, an anonymous admin, a channel. `not_addressed`:
 * from somebody who may speak, and meant for others.
 */
export type Refusal = "elsewhere" | "bot" | "not_a_person" | "chat_not_listed" | "not_listed" | "not_addressed"

export type Verdict =
  | { readonly isAllowed: true; readonly role: Role }
  | { readonly isAllowed: false; readonly reason: Refusal }

const refused = (reason: Refusal): Verdict => ({ isAllowed: false, reason })

/** Who it is from, and where. */
export const placeOf = (incoming: FromPerson) => (incoming._tag === "Message" ? incoming.message : incoming)

const isForOthers = ({ groups }: Policy, incoming: FromPerson): boolean => {
  if (incoming._tag !== "Message" || incoming.message.chat === "direct" || incoming.message.addressed) return false
  return groups.get(incoming.message.conversation.chatId)?.mention !== false
}

export const mayEnter = (policy: Policy, incoming: FromPerson): Verdict => {
  const place = placeOf(incoming)
  const { conversation, sender } = place
  const { id, accountId, isPerson } = policy.channel
  if (conversation.channel !== id || conversation.accountId !== accountId) return refused("elsewhere")
  if (sender.isBot) return refused("bot")
  if (!isPerson(sender.id)) return refused("not_a_person")
  if (listsOf(policy, place) === undefined) return refused("chat_not_listed")
  const role = roleIn(policy, place)
  if (role === undefined) return refused("not_listed")
  return isForOthers(policy, incoming) ? refused("not_addressed") : { isAllowed: true, role }
}
