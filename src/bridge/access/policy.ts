/**
 * Lists of people, checked → a policy: who has which role in which chat; pure. Roles go by stable ids alone; a sender may
 * have several, such as roles of the platform, of which the one that gives most counts.
 */
import type { Channel } from "../messages/Channel.ts"
import type { Sender } from "../messages/ChannelMessage.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { Incoming } from "../messages/Incoming.ts"
import { type Role, roles } from "./AccessOptions.ts"

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

export type Lists = { readonly [R in Role]: ReadonlySet<string> }

export interface GroupPolicy {
  readonly lists: Partial<Lists>
  readonly mention: boolean
}

export interface Policy {
  readonly channel: Pick<Channel, "id" | "accountId" | "isPerson">
  readonly lists: Lists
  readonly groups: ReadonlyMap<string, GroupPolicy>
}

/** A person in a chat. */
export interface Place {
  readonly conversation: Conversation
  readonly chat: "direct" | "group"
  readonly sender: Pick<Sender, "id" | "ids">
}

/** In a chat; undefined: it is none of this account's, or a group that is not listed. */
export const listsOf = (policy: Policy, { conversation, chat }: Omit<Place, "sender">): Lists | undefined => {
  const { channel, lists, groups } = policy
  if (conversation.channel !== channel.id || conversation.accountId !== channel.accountId) return undefined
  if (chat === "direct") return lists
  const group = groups.get(conversation.chatId)
  return group === undefined ? undefined : { ...lists, ...group.lists }
}

/** Undefined: none. */
export const roleIn = (policy: Policy, place: Place): Role | undefined => {
  const lists = listsOf(policy, place)
  if (lists === undefined) return undefined
  const ids = [place.sender.id, ...(place.sender.ids ?? [])]
  return roles.findLast((role) => ids.some((id) => lists[role].has(id)))
}

/** With a person who was let in otherwise than by the lists. */
export const withMember = (policy: Policy, person: string, role: Role): Policy => ({
  ...policy,
  lists: { ...policy.lists, [role]: new Set([...policy.lists[role], person]) }
})

/** Whether anybody may speak anywhere. */
export const hasPeople = ({ lists, groups }: Policy): boolean =>
  [lists, ...[...groups.values()].map((group) => group.lists)].some((each) =>
    Object.values(each).some((people) => people.size > 0)
  )

/** Where a chat is now, if it has moved, perhaps several times. */
const endOf = (chatId: string, moves: ReadonlyMap<string, string>): string => {
  const seen = new Set<string>()
  let at = chatId
  for (let next = moves.get(at); next !== undefined && !seen.has(next); next = moves.get(at)) {
    seen.add(at)
    at = next
  }
  return at
}

/** With the groups where they are now; one that is listed by its new id keeps that entry. */
export const withMoves = (policy: Policy, moves: ReadonlyMap<string, string>): Policy => {
  const groups = new Map<string, GroupPolicy>()
  for (const [chatId, group] of policy.groups) {
    const end = endOf(chatId, moves)
    if (end === chatId || !policy.groups.has(end)) groups.set(end, group)
  }
  return { ...policy, groups }
}
