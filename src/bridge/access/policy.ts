/**
 * Lists of people, checked → a policy: who has which role in which chat; pure. Roles go by stable ids alone; a sender may
 * have several, such as roles of the platform, of which the one that gives most counts.
 */
import type { Channel } from "../messages/Channel.ts"
import type { Sender } from "../messages/ChannelMessage.ts"
import type { Conversation } from "../messages/Conversation.ts"
import { type Role, roles } from "./Role.ts"

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
