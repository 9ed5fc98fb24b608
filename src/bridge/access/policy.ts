/** Roles of people in chats, and the updates that are accepted; pure. Only stable ids count; the highest role wins. */
import type { Channel } from "../messages/Channel.ts"
import type { Sender } from "../messages/ChannelMessage.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { Incoming } from "../messages/Incoming.ts"
import { anyGroup, type Role, roles } from "./AccessOptions.ts"

export type FromPerson = Exclude<Incoming, { readonly _tag: "Left" | "Moved" | "Receipt" }>

/** `elsewhere`: another account. `not_a_person`: an anonymous admin, a channel. `not_addressed`: meant for others. */
export type Refusal = "elsewhere" | "bot" | "not_a_person" | "chat_not_listed" | "not_listed" | "not_addressed"

export type Verdict =
  | { readonly isAllowed: true; readonly role: Role }
  | { readonly isAllowed: false; readonly reason: Refusal }

const refused = (reason: Refusal): Verdict => ({ isAllowed: false, reason })

export const placeOf = (incoming: FromPerson) => (incoming._tag === "Message" ? incoming.message : incoming)

type Lists = { readonly [R in Role]: ReadonlySet<string> }

interface GroupPolicy {
  readonly lists: Partial<Lists>
  readonly mention: boolean
}

export interface Policy {
  readonly channel: Pick<Channel, "id" | "accountId" | "isPerson">
  readonly lists: Lists
  readonly groups: ReadonlyMap<string, GroupPolicy>
}

export interface Place {
  readonly conversation: Conversation
  readonly chat: "direct" | "group"
  readonly sender: Pick<Sender, "id" | "ids">
}

export const groupOf = ({ groups }: Pick<Policy, "groups">, chatId: string): GroupPolicy | undefined =>
  groups.get(chatId) ?? groups.get(anyGroup)

/** The lists of a chat; undefined if it is not of this account, or an unlisted group. */
const listsOf = (policy: Policy, { conversation, chat }: Omit<Place, "sender">): Lists | undefined => {
  const { channel, lists, groups } = policy
  if (conversation.channel !== channel.id || conversation.accountId !== channel.accountId) return undefined
  if (chat === "direct") return lists
  const group = groupOf({ groups }, conversation.chatId)
  return group === undefined ? undefined : { ...lists, ...group.lists }
}

export const roleIn = (policy: Policy, place: Place): Role | undefined => {
  const lists = listsOf(policy, place)
  if (lists === undefined) return undefined
  const ids = [place.sender.id, ...(place.sender.ids ?? [])]
  return roles.findLast((role) => ids.some((id) => lists[role].has(id)))
}

/** Adds a person who is not in the lists, such as by pairing. */
export const withMember = (policy: Policy, person: string, role: Role): Policy => ({
  ...policy,
  lists: { ...policy.lists, [role]: new Set([...policy.lists[role], person]) }
})

export const hasPeople = ({ lists, groups }: Policy): boolean =>
  [lists, ...[...groups.values()].map((group) => group.lists)].some((each) =>
    Object.values(each).some((people) => people.size > 0)
  )

/** The present id of a chat that may have moved, also several times. */
const latestId = (chatId: string, moves: ReadonlyMap<string, string>): string => {
  const visited = new Set<string>()
  let at = chatId
  for (let next = moves.get(at); next !== undefined && !visited.has(next); next = moves.get(at)) {
    visited.add(at)
    at = next
  }
  return at
}

/** Follows groups that moved; an entry for the new id wins. */
export const withMoves = (policy: Policy, moves: ReadonlyMap<string, string>): Policy => {
  const groups = new Map<string, GroupPolicy>()
  for (const [chatId, group] of policy.groups) {
    const id = latestId(chatId, moves)
    if (id === chatId || !policy.groups.has(id)) groups.set(id, group)
  }
  return { ...policy, groups }
}

const isForOthers = (policy: Policy, incoming: FromPerson): boolean => {
  if (incoming._tag !== "Message" || incoming.message.chat === "direct" || incoming.message.addressed) return false
  return groupOf(policy, incoming.message.conversation.chatId)?.mention !== false
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
