/** Events of chats: the bot is blocked, removed or promoted, people leave, a group migrates, topics come and go. */
import type { BotState, KeptChat } from "./chats.ts"
import { chatOf, memberOf } from "./messages.ts"
import { tell, userOf, type Who } from "./people.ts"
import type { Message, User } from "./wire.ts"
import type { World } from "./world.ts"

export interface ChatOptions {
  readonly title?: string
  /** A supergroup with topics. */
  readonly isForum?: boolean
  /** State of the bot. Default: `member`. */
  readonly bot?: BotState
}

/** Event of the bot, or of a person in a group. `deactivated`: the person has deleted their account. */
export type Happening = "blocked" | "unblocked" | "kicked" | "left" | "joined" | "promoted" | "deactivated"

const states: Readonly<Record<Happening, BotState>> = {
  blocked: "blocked",
  unblocked: "member",
  kicked: "kicked",
  left: "left",
  joined: "member",
  promoted: "administrator",
  deactivated: "deactivated"
}

export type TopicState = "open" | "closed" | "deleted"

export const makeHappenings = (world: World) => {
  const { chats, clock, updates, me } = world
  const serve = (chat: KeptChat, from: User, service: Partial<Message>, thread?: number) =>
    tell(world, chat, chats.add(chat, { from, isOurs: false, text: "", service, thread }))

  const botBecomes = (chat: KeptChat, happening: Happening, by: User) => {
    const before = chat.bot
    chat.bot = states[happening]
    // The bot is not told about deleted accounts.
    if (happening === "deactivated") return
    const date = Math.floor(clock.now() / 1_000)
    const members = { old_chat_member: memberOf(before, me), new_chat_member: memberOf(chat.bot, me) }
    updates.push({ my_chat_member: { chat: chatOf(chat), from: by, date, ...members } })
    if (happening === "joined") serve(chat, by, { new_chat_members: [me] })
  }

  const personBecomes = (chat: KeptChat, happening: Happening, user: User) => {
    if (happening === "joined") {
      chat.gone.delete(user.id)
      return serve(chat, user, { new_chat_members: [user] })
    }
    chat.gone.add(user.id)
    serve(chat, user, { left_chat_member: user })
  }

  return {
    /** A chat with the bot, with or without a message of a person. */
    open: (id: number, { title, isForum, bot }: ChatOptions = {}) => {
      const chat = chats.open(id)
      if (title !== undefined) chat.title = title
      if (isForum !== undefined) chat.isForum = isForum
      if (bot !== undefined) chat.bot = bot
    },
    member: (id: number, happening: Happening, { who, by }: { readonly who?: Who; readonly by?: Who } = {}) => {
      const chat = chats.open(id)
      if (who !== undefined) return personBecomes(chat, happening, userOf(who))
      botBecomes(chat, happening, userOf(by ?? (chat.kind === "private" ? { id, name: chat.title } : undefined)))
    },
    /** Turns a group into a supergroup; returns its new id. */
    migrate: (id: number): number => {
      const old = chats.open(id)
      if (old.kind !== "group") throw new Error(`chat ${id} is not a group`)
      const next = chats.open(id - 1_000_000_000_000)
      Object.assign(next, { title: old.title, bot: old.bot })
      serve(old, userOf(), { migrate_to_chat_id: next.id })
      serve(next, userOf(), { migrate_from_chat_id: id })
      old.migratedTo = next.id
      return next.id
    },
    /** A topic of a supergroup. Telegram does not tell a bot about a deleted topic. */
    topic: (id: number, thread: number, state: TopicState, name = `Topic ${thread}`) => {
      const chat = chats.open(id)
      const before = chat.topics.get(thread)
      chat.isForum = true
      chat.topics.set(thread, state)
      if (state === "deleted") chat.messages = chat.messages.filter((message) => message.thread !== thread)
      if (state === "closed") serve(chat, userOf(), { forum_topic_closed: {} }, thread)
      if (state !== "open") return
      if (before === "closed") serve(chat, userOf(), { forum_topic_reopened: {} }, thread)
      if (before === undefined) serve(chat, userOf(), { forum_topic_created: { name, icon_color: 7_322_096 } }, thread)
    }
  }
}
