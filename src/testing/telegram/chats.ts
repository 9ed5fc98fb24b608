/** The chats, their topics and messages, and the bot's state. Ids are counted as Telegram counts them. */
import { badRequest, forbidden } from "./refusal.ts"
import type { Chat, Entity, ForwardOrigin, Keyboard, Message, User } from "./wire.ts"

export interface Person {
  readonly id: number
  readonly name: string
  readonly username?: string
  readonly isBot?: boolean
}

/** `unstarted`: the person has not written yet; `deactivated`: the person has deleted their account. */
export type BotState = "member" | "administrator" | "left" | "kicked" | "blocked" | "unstarted" | "deactivated"

export interface KeptFile {
  readonly kind: "document" | "photo" | "voice"
  readonly fileId: string
  readonly name?: string
  readonly mimeType?: string
  readonly bytes: number
}

/** A message; changes are made in place. */
export interface Kept {
  readonly messageId: number
  readonly from: User
  readonly isOurs: boolean
  readonly at: number
  text: string
  entities: ReadonlyArray<Entity>
  keyboard: Keyboard | undefined
  editedAt: number | undefined
  reactions: ReadonlyArray<string>
  readonly isSilent: boolean
  /** A topic, or the root of replies in a supergroup without topics. */
  readonly thread: number | undefined
  readonly replyTo: number | undefined
  readonly file: KeptFile | undefined
  readonly album: string | undefined
  readonly origin: ForwardOrigin | undefined
  /** The event, for service messages. */
  readonly service: Partial<Message> | undefined
  /** Additions of a test, such as a sticker. */
  readonly more: Readonly<Record<string, unknown>> | undefined
}

export interface KeptChat {
  readonly id: number
  readonly kind: Chat["type"]
  title: string
  username: string | undefined
  isForum: boolean
  bot: BotState
  migratedTo: number | undefined
  readonly topics: Map<number, "open" | "closed" | "deleted">
  /** The people who left. */
  readonly gone: Set<number>
  messages: Array<Kept>
}

export type NewMessage = Pick<Kept, "from" | "isOurs" | "text"> & Partial<Kept>

const supergroups = -1_000_000_000_000
const kindOf = (id: number): Chat["type"] => (id > 0 ? "private" : id > supergroups ? "group" : "supergroup")

/** Reason why the bot can do nothing there. */
const closedTo = ({ kind, bot }: KeptChat) => {
  const name = kind === "supergroup" ? "supergroup chat" : "group chat"
  if (bot === "blocked") return forbidden("bot was blocked by the user")
  if (bot === "deactivated") return forbidden("user is deactivated")
  if (bot === "unstarted") return forbidden("bot can't initiate conversation with a user")
  if (bot === "kicked") return forbidden(`bot was kicked from the ${name}`)
  return bot === "left" ? forbidden(`bot is not a member of the ${name}`) : undefined
}

export const makeChats = (now: () => number) => {
  const all = new Map<number, KeptChat>()
  let albums = 0
  const counters = new Map<number | "account", number>()
  const nextId = ({ id, kind }: KeptChat) => {
    // Private chats and small groups share the numbers of the account; a supergroup counts its own.
    const key = kind === "supergroup" ? id : "account"
    const next = (counters.get(key) ?? 0) + 1
    counters.set(key, next)
    return next
  }

  const open = (id: number): KeptChat => {
    const found = all.get(id)
    if (found !== undefined) return found
    const chat: KeptChat = {
      id,
      kind: kindOf(id),
      title: id > 0 ? `Person ${id}` : `Group ${-id}`,
      username: undefined,
      isForum: false,
      bot: "member",
      migratedTo: undefined,
      topics: new Map(),
      gone: new Set(),
      messages: []
    }
    all.set(id, chat)
    return chat
  }

  /** Returns the chat, if the bot may write there; a supergroup without the bot cannot be read either. */
  const accessible = (id: number | undefined, access: "write" | "read"): KeptChat => {
    const chat = id === undefined ? undefined : all.get(id)
    if (chat === undefined) throw badRequest("chat not found")
    const { migratedTo, kind } = chat
    if (access === "read" && kind !== "supergroup") return chat
    if (migratedTo !== undefined)
      throw badRequest("group chat was upgraded to a supergroup chat", { migrate_to_chat_id: migratedTo })
    const refusal = closedTo(chat)
    if (refusal !== undefined) throw refusal
    return chat
  }

  return {
    open,
    accessible,
    get: (id: number): KeptChat | undefined => all.get(id),
    all: (): ReadonlyArray<KeptChat> => [...all.values()],
    userOf: ({ messages }: KeptChat, id: number | undefined): User | undefined =>
      messages.find(({ from }) => from.id === id)?.from,
    messageOf: ({ messages }: KeptChat, messageId: number | undefined): Kept | undefined =>
      messages.find((message) => message.messageId === messageId),
    add: (chat: KeptChat, message: NewMessage): Kept => {
      const stored: Kept = {
        at: now(),
        entities: [],
        keyboard: undefined,
        editedAt: undefined,
        reactions: [],
        isSilent: false,
        thread: undefined,
        replyTo: undefined,
        file: undefined,
        album: undefined,
        origin: undefined,
        service: undefined,
        more: undefined,
        ...message,
        messageId: nextId(chat)
      }
      chat.messages.push(stored)
      return stored
    },
    newAlbum: () => `album-${++albums}`,
    remove: (chat: KeptChat, messageId: number) => {
      chat.messages = chat.messages.filter((message) => message.messageId !== messageId)
    }
  }
}

export type Chats = ReturnType<typeof makeChats>
