/** The channels of servers, threads and direct chats, with their messages; changes are made in place. */
import type { SentFile } from "../telegram/files.ts"
import { Refusal, unknownChannel } from "./refusal.ts"
import type { ChannelType, Row, User } from "./wire.ts"

export interface Person {
  readonly id: string
  readonly name: string
  readonly username?: string
  readonly isBot?: boolean
  /** Ids of roles in servers. */
  readonly roles?: ReadonlyArray<string>
}

export type { SentFile }

export interface KeptFile {
  readonly id: string
  readonly name: string
  readonly type?: string
  readonly content: Uint8Array
  /** Pretended length. */
  readonly bytes: number
  readonly isVoice: boolean
}

export interface Kept {
  readonly id: string
  readonly author: User
  /** Roles of the author, in a server. */
  readonly roles: ReadonlyArray<string>
  readonly isOurs: boolean
  readonly at: number
  readonly type: 0 | 18 | 19 | 20 | 21
  content: string
  components: ReadonlyArray<Row>
  files: ReadonlyArray<KeptFile>
  editedAt: number | undefined
  readonly flags: number
  readonly nonce: string | undefined
  readonly replyTo: string | undefined
  readonly isForwarded: boolean
  /** The ids of people and roles, or `everyone`, who got a notification by a mention. */
  readonly notified: ReadonlyArray<string>
}

/**
 * Access of the bot to a channel. `hidden`: it does not see it (50001); `silent`: it may not write there (50013);
 * `closed`: a person who takes no direct messages from it (50007).
 */
type BotAccess = "open" | "hidden" | "silent" | "closed"

export interface KeptChannel {
  readonly id: string
  readonly type: ChannelType
  readonly guild: string | undefined
  readonly parent: string | undefined
  readonly owner: string | undefined
  readonly person: User | undefined
  name: string
  isArchived: boolean
  access: BotAccess
  messages: Array<Kept>
}

export type NewMessage = Pick<Kept, "author" | "isOurs" | "content"> & Partial<Kept>
type NewChannel = Pick<KeptChannel, "id" | "type"> & Partial<KeptChannel>

export const isThread = ({ type }: Pick<KeptChannel, "type">) => type === 10 || type === 11 || type === 12

export const makeChannels = (now: () => number, nextId: () => string) => {
  const all = new Map<string, KeptChannel>()
  const direct = new Map<string, string>()
  const add = (channel: NewChannel): KeptChannel => {
    const record: KeptChannel = {
      guild: undefined,
      parent: undefined,
      owner: undefined,
      person: undefined,
      name: "",
      isArchived: false,
      access: "open",
      messages: [],
      ...channel
    }
    all.set(record.id, record)
    return record
  }
  return {
    add,
    get: (id: string): KeptChannel | undefined => all.get(id),
    all: (): ReadonlyArray<KeptChannel> => [...all.values()],
    remove: (id: string) => {
      all.delete(id)
      for (const each of [...all.values()]) if (each.parent === id) all.delete(each.id)
    },
    /** The direct chat with a person, opened where it is missing. */
    directWith: (person: User): KeptChannel => {
      const found = all.get(direct.get(person.id) ?? "")
      if (found !== undefined) return found
      const opened = add({ id: nextId(), type: 1, person })
      direct.set(person.id, opened.id)
      return opened
    },
    /** A channel that the bot sees. */
    visible: (id: string): KeptChannel => {
      const channel = all.get(id)
      if (channel === undefined) throw unknownChannel()
      const parent = channel.parent === undefined ? undefined : all.get(channel.parent)
      if (channel.access === "hidden" || parent?.access === "hidden") throw new Refusal(403, 50_001, "Missing Access")
      return channel
    },
    messageOf: ({ messages }: KeptChannel, id: string | undefined): Kept | undefined =>
      messages.find((message) => message.id === id),
    write: (channel: KeptChannel, message: NewMessage): Kept => {
      const record: Kept = {
        id: nextId(),
        roles: [],
        at: now(),
        type: message.replyTo === undefined || message.isForwarded === true ? 0 : 19,
        components: [],
        files: [],
        editedAt: undefined,
        flags: 0,
        nonce: undefined,
        replyTo: undefined,
        isForwarded: false,
        notified: [],
        ...message
      }
      channel.messages.push(record)
      return record
    }
  }
}

export type Channels = ReturnType<typeof makeChannels>

/** Reason why the bot cannot write there. */
export const closedTo = (channel: KeptChannel, parent: KeptChannel | undefined): Refusal | undefined => {
  const access = parent !== undefined && parent.access !== "open" ? parent.access : channel.access
  if (access === "silent") return new Refusal(403, 50_013, "Missing Permissions")
  if (access === "closed") return new Refusal(403, 50_007, "Cannot send messages to this user")
  return channel.isArchived ? new Refusal(400, 50_083, "Thread is archived") : undefined
}
