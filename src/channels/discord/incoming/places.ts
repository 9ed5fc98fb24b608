/** Where a channel of Discord is in the words of the bridge: a chat, or a thread of one. Bounded; pure. */
import type { Mention } from "../DiscordOptions.ts"
import type { WireChannel } from "./wire.ts"

export interface Place {
  readonly chatId: string
  readonly threadId?: string
  /** Who opened the thread. */
  readonly owner?: string
  readonly guild?: string
}

const most = 10_000
const mostFollowed = 2_000

const keep = <A>(map: Map<string, A>, key: string, value: A, bound: number) => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > bound && oldest !== undefined) map.delete(oldest)
}

const isThread = ({ type }: WireChannel) => type === 10 || type === 11 || type === 12
const isDirect = ({ type }: WireChannel) => type === 1 || type === 3

const placeOf = ({ id, parent_id, owner_id, guild_id, ...channel }: WireChannel): Place => {
  const guild = guild_id ? { guild: guild_id } : {}
  return isThread({ id, ...channel }) && parent_id
    ? { chatId: parent_id, threadId: id, ...guild, ...(owner_id ? { owner: owner_id } : {}) }
    : { chatId: id, ...guild }
}

export const makePlaces = (botId: string, groups: ReadonlyMap<string, Mention> | undefined) => {
  const places = new Map<string, Place>()
  const followed = new Map<string, boolean>()
  const follow = (threadId: string, isFollowed: boolean) => keep(followed, threadId, isFollowed, mostFollowed)
  return {
    /** Undefined until it was told or asked. */
    of: (channel: string): Place | undefined => places.get(channel),
    keep: (channel: WireChannel) => {
      if (!isDirect(channel)) keep(places, channel.id, placeOf(channel), most)
    },
    forget: (channel: string) => void places.delete(channel),
    /** Chats of a server that are known here. */
    inGuild: (guild: string): ReadonlyArray<string> => [
      ...new Set([...places.values()].filter((place) => place.guild === guild).map(({ chatId }) => chatId))
    ],
    isListed: (chatId: string): boolean => groups === undefined || groups.has("*") || groups.has(chatId),
    mentionOf: (chatId: string): Mention => groups?.get(chatId) ?? groups?.get("*") ?? true,
    follow,
    /** Whether messages of a thread are for the bot without a mention; undefined if that must be looked up. */
    isFollowed: ({ threadId, owner }: Place): boolean | undefined =>
      threadId === undefined ? false : owner === botId ? true : followed.get(threadId)
  }
}
