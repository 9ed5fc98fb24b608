/** Actions of a chat's people: write, press, edit, delete. The bot gets the updates that Telegram would send. */
import type { BotState, Kept, KeptChat, Person } from "./chats.ts"
import { foundEntities } from "./entities.ts"
import type { SentFile } from "./files.ts"
import { chatOf, messageOf, shownOf, type TelegramMessage } from "./messages.ts"
import type { Entity, User } from "./wire.ts"
import type { World } from "./world.ts"

export type Who = number | Person

/** A message by its chat and its number. */
export type MessageKey = Pick<TelegramMessage, "chat" | "messageId">

export interface TelegramSaying {
  /** Default: Ann, 1001. */
  readonly from?: Who
  /** Positive: the direct chat of that person; negative: a group; from -1000000000001 on down: a supergroup. Default: the sender. */
  readonly chat?: number
  /** A topic, which exists from then on; 1 is "General". */
  readonly thread?: number
  /** Messages with the same one are an album. */
  readonly album?: string
  readonly document?: SentFile
  readonly photo?: SentFile
  readonly voice?: SentFile
  /** Caption of a file. Default: the text. */
  readonly caption?: string
  readonly replyTo?: MessageKey | number
  /** Default: the commands, mentions and links in the text. */
  readonly entities?: ReadonlyArray<Entity>
  /** The first author. */
  readonly forwarded?: Who
  /** Anything else that a message can have, such as a sticker, a location or a `sender_chat`; passed on unchanged. */
  readonly more?: Readonly<Record<string, unknown>>
}

const ann: Person = { id: 1_001, name: "Ann", username: "ann" }

export const userOf = (who: Who = ann): User => {
  if (who === ann.id) return userOf(ann)
  if (typeof who === "number") return userOf({ id: who, name: `Person ${who}`, username: `person${who}` })
  const { id, name, username, isBot = false } = who
  return { id, is_bot: isBot, first_name: name, ...(username === undefined ? {} : { username }) }
}

/** api#privacy-mode: commands without another bot's name, mentions, replies; all in direct chats, or as admin. */
const reaches = ({ me, privacyMode, chats }: World, chat: KeptChat, message: Kept) => {
  if (chat.bot !== "member" && chat.bot !== "administrator") return false
  if (!privacyMode || chat.kind === "private" || chat.bot === "administrator" || message.service) return true
  if (chats.messageOf(chat, message.replyTo)?.isOurs === true) return true
  const name = `@${me.username}`.toLowerCase()
  return message.entities.some(({ type, offset, length }) => {
    const part = message.text.slice(offset, offset + length).toLowerCase()
    if (type === "mention") return part === name
    return type === "bot_command" && (!part.includes("@") || part.endsWith(name))
  })
}

/** In a supergroup without topics, replies have the number of their root as a thread: it is not a topic. */
const rootOf = (chat: KeptChat, to: Kept | undefined): number | undefined =>
  to === undefined || chat.kind !== "supergroup" ? undefined : (to.thread ?? to.messageId)

/** Sends the bot an update, if the message reaches it. */
export const tell = (world: World, chat: KeptChat, message: Kept, kind: "message" | "edited_message" = "message") => {
  if (reaches(world, chat, message)) world.updates.push({ [kind]: messageOf(world.chats, chat, message) })
}

export const makePeople = (world: World) => {
  const { chats, drafts, files, clock, updates, presses } = world
  const messageAt = ({ chat: id, messageId }: MessageKey) => {
    const chat = chats.get(id)
    const message = chat === undefined ? undefined : chats.messageOf(chat, messageId)
    if (chat === undefined || message === undefined) throw new Error(`unknown message ${messageId} in chat ${id}`)
    return { chat, message }
  }

  /** Writing to the bot starts and unblocks it. */
  const opened = (id: number, user: User) => {
    const chat = chats.open(id)
    if (chat.kind !== "private") return chat
    const closed: ReadonlyArray<BotState> = ["unstarted", "blocked"]
    if (closed.includes(chat.bot)) chat.bot = "member"
    if (user.id === id) Object.assign(chat, { title: user.first_name, username: user.username })
    return chat
  }

  const threadOf = (chat: KeptChat, thread: number | undefined, to: Kept | undefined) => {
    if (thread === undefined) return chat.isForum ? to?.thread : rootOf(chat, to)
    chat.isForum = true
    if (thread === 1) return undefined
    if (!chat.topics.has(thread)) chat.topics.set(thread, "open")
    return thread
  }

  const say = (text: string, options: TelegramSaying = {}): TelegramMessage => {
    const from = userOf(options.from)
    const chat = opened(options.chat ?? from.id, from)
    const { replyTo, document, photo, voice: replies, album, forwarded } = options
    const to = chats.messageOf(chat, typeof replyTo === "object" ? replyTo.messageId : replyTo)
    const [kind, content] =
      document !== undefined
        ? (["document", document] as const)
        : photo !== undefined
          ? (["photo", photo] as const)
          : (["voice", replies] as const)
    const words = content === undefined ? text : (options.caption ?? text)
    const date = Math.floor(clock.now() / 1_000)
    const message = chats.add(chat, {
      from,
      isOurs: false,
      text: words,
      entities: options.entities ?? foundEntities(words),
      thread: threadOf(chat, options.thread, to),
      replyTo: to?.messageId,
      file: content === undefined ? undefined : files.add(kind, content),
      album,
      more: options.more,
      origin: forwarded === undefined ? undefined : { type: "user", date, sender_user: userOf(forwarded) }
    })
    tell(world, chat, message)
    return shownOf(chat, message)
  }

  const press = (
    key: MessageKey,
    label: string | { readonly data: string },
    { from }: { readonly from?: Who } = {}
  ): string => {
    const { chat, message } = messageAt(key)
    const button = (message.keyboard?.inline_keyboard ?? []).flat().find(({ text }) => text === label)
    const data =
      typeof label === "object"
        ? label.data
        : button !== undefined && "callback_data" in button
          ? button.callback_data
          : undefined
    if (data === undefined) throw new Error(`message ${key.messageId} has no button ${String(label)}`)
    const id = String(7_000_000_000_000_001n + BigInt(presses.size))
    presses.set(id, { until: clock.now() + world.acknowledgementMs, isAnswered: false })
    const user = userOf(
      from ?? (chat.kind === "private" && chat.id !== ann.id ? { id: chat.id, name: chat.title } : ann)
    )
    const sent = messageOf(chats, chat, message)
    updates.push({ callback_query: { id, from: user, message: sent, chat_instance: `${chat.id}`, data } })
    return id
  }

  /** The draft goes, unless the bot keeps it. */
  const stopDraft = (id: number, thread?: number) => {
    const chat = chats.get(id)
    const draft = chat === undefined ? undefined : drafts.of(chat, thread)
    if (chat === undefined || draft?.canStop !== true) throw new Error(`chat ${id} has no draft that can be stopped`)
    if (!draft.staysOnStop) drafts.remove(chat, thread)
    const place = thread === undefined ? {} : { message_thread_id: thread }
    updates.push({ stopped_message_generation: { chat: chatOf(chat), ...place, draft_id: draft.draftId } })
  }

  return {
    say,
    press,
    stopDraft,
    edit: (key: MessageKey, text: string, entities: ReadonlyArray<Entity> = foundEntities(text)) => {
      const { chat, message } = messageAt(key)
      if (message.isOurs) throw new Error(`message ${key.messageId} is the bot's`)
      Object.assign(message, { text, entities, editedAt: clock.now() })
      tell(world, chat, message, "edited_message")
    },
    /** Deletes a message of either side. Telegram does not tell a bot. */
    withdraw: (key: MessageKey) => {
      const { chat, message } = messageAt(key)
      chats.remove(chat, message.messageId)
    }
  }
}
