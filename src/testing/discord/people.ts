/** Actions of people: write, press, edit, delete, open threads. The bot is told what Discord would tell it. */
import { isThread, type Kept, type KeptChannel, type Person, type SentFile } from "./channels.ts"
import { componentPress, slashCommand } from "./interactions.ts"
import { channelOf, type DiscordMessage, shownOf } from "./messages.ts"
import { openThread } from "./routes.ts"
import { tellMessage, tellRemoval, tellThread } from "./telling.ts"
import type { User } from "./wire.ts"
import type { World } from "./world.ts"

export type Who = string | Person

/** A message by its channel and its id. */
export type MessageKey = Pick<DiscordMessage, "channel" | "messageId">

export interface DiscordSaying {
  /** Default: Ann, 100000000000001001. */
  readonly from?: Who
  /** A channel of a server, which exists from then on, or a thread. Default: the direct chat of the sender. */
  readonly channel?: string
  readonly files?: ReadonlyArray<SentFile>
  /** A voice message. */
  readonly voice?: SentFile
  readonly replyTo?: MessageKey | string
  /** The message was written elsewhere. */
  readonly isForwarded?: boolean
  /** Anything else that a message can have, such as a sticker or a `webhook_id`; passed on unchanged. */
  readonly more?: Readonly<Record<string, unknown>>
}

export interface ChannelOptions {
  readonly name?: string
  /** 0: text, 2: voice, 5: announcements, 15: forum. Default: 0. */
  readonly type?: 0 | 2 | 5 | 15
  /** Default: 300000000000000001. */
  readonly guild?: string
  readonly access?: KeptChannel["access"]
}

const ann: Person = { id: "100000000000001001", name: "Ann", username: "ann" }
const ownGuild = "300000000000000001"

export const makePeople = (world: World) => {
  const { channels, clock, guilds, nextId } = world
  const personOf = (who: Who = ann): Person => {
    if (typeof who !== "string") return who
    return who === ann.id ? ann : { id: who, name: `Person ${who}`, username: `person${who}` }
  }
  const userOf = ({ id, name, username = name.toLowerCase(), isBot = false }: Person): User =>
    world.meet({
      id,
      username,
      global_name: name,
      discriminator: "0",
      avatar: null,
      ...(isBot ? { bot: true } : {})
    })

  const open = (id: string, { name, type = 0, guild = ownGuild, access }: ChannelOptions = {}): KeptChannel => {
    const found = channels.get(id)
    const channel = found ?? channels.add({ id, type, guild, name: name ?? `channel-${id.slice(-4)}` })
    guilds.add(guild)
    if (name !== undefined) channel.name = name
    if (access !== undefined) channel.access = access
    if (found === undefined) tellThread(world, channel, "CHANNEL_CREATE")
    return channel
  }

  const messageAt = ({ channel: id, messageId }: MessageKey) => {
    const channel = channels.get(id)
    const message = channel === undefined ? undefined : channels.messageOf(channel, messageId)
    if (channel === undefined || message === undefined) throw new Error(`unknown message ${messageId} in channel ${id}`)
    return { channel, message }
  }

  const say = (text: string, options: DiscordSaying = {}): DiscordMessage => {
    const person = personOf(options.from)
    const author = userOf(person)
    const channel = options.channel === undefined ? channels.directWith(author) : open(options.channel)
    const { replyTo, files = [], voice, more = {}, isForwarded = false } = options
    const sent = [
      ...files.map((file) => ({ file, isVoice: false })),
      ...(voice ? [{ file: voice, isVoice: true }] : [])
    ]
    if (isThread(channel)) channel.isArchived = false
    const message = channels.write(channel, {
      author,
      roles: person.roles ?? [],
      isOurs: false,
      content: text,
      isForwarded,
      replyTo: typeof replyTo === "object" ? replyTo.messageId : replyTo,
      flags: voice === undefined ? 0 : 8_192,
      files: sent.map(({ file: { name = "file", content, mimeType, bytes }, isVoice }) => {
        const raw = typeof content === "string" ? new TextEncoder().encode(content) : content
        const type = mimeType === undefined ? {} : { type: mimeType }
        return { id: nextId(), name, ...type, content: raw, bytes: bytes ?? raw.length, isVoice }
      })
    })
    tellMessage(world, channel, message, "MESSAGE_CREATE", more)
    return shownOf(world, channel, message)
  }

  const press = (
    key: MessageKey,
    label: string | { readonly data: string },
    { from }: { readonly from?: Who } = {}
  ): string => {
    const { channel, message } = messageAt(key)
    const button = message.components.flatMap((row) => row.components).find((each) => each.label === label)
    const data = typeof label === "object" ? label.data : button?.custom_id
    if (data === undefined) throw new Error(`message ${key.messageId} has no button ${String(label)}`)
    const person = personOf(from ?? (channel.person !== undefined ? channel.person.id : undefined))
    return componentPress(world, channel, message, { user: userOf(person), roles: person.roles ?? [], data })
  }

  return {
    say,
    press,
    open: (id: string, options: ChannelOptions = {}) => void open(id, options),
    /** The direct chat of a person with the bot. */
    direct: (who?: Who): string => channels.directWith(userOf(personOf(who))).id,
    /** A person uses a command of the bot's menu. */
    command: (
      name: string,
      { from, channel, text }: { readonly from?: Who; readonly channel?: string; readonly text?: string } = {}
    ): string => {
      const person = personOf(from)
      const user = userOf(person)
      const place = channel === undefined ? channels.directWith(user) : open(channel)
      return slashCommand(world, place, { user, roles: person.roles ?? [], name, text })
    },
    edit: (key: MessageKey, text: string) => {
      const { channel, message } = messageAt(key)
      if (message.isOurs) throw new Error(`message ${key.messageId} is the bot's`)
      Object.assign(message, { content: text, editedAt: clock.now() })
      tellMessage(world, channel, message, "MESSAGE_UPDATE")
    },
    /** Discord adds a link preview: an update without a new text. */
    preview: (key: MessageKey) => {
      const { channel, message } = messageAt(key)
      tellMessage(world, channel, message, "MESSAGE_UPDATE", { embeds: [{ type: "link" }] })
    },
    repeat: (key: MessageKey) => {
      const { channel, message } = messageAt(key)
      tellMessage(world, channel, message)
    },
    /** Deletes a message of either side. */
    withdraw: (key: MessageKey) => {
      const { channel, message } = messageAt(key)
      channel.messages = channel.messages.filter((each: Kept) => each !== message)
      tellRemoval(world, channel, message.id)
    },
    /** A person opens a thread at a message, or without one; returns its id. */
    thread: (
      at: MessageKey | { readonly channel: string },
      { name = "a thread", from }: { readonly name?: string; readonly from?: Who } = {}
    ): string => {
      const id = "messageId" in at ? messageAt(at).message.id : nextId()
      return openThread(world, open(at.channel), { id, name, owner: userOf(personOf(from)).id }).id
    },
    archive: (id: string) => {
      const channel = channels.get(id)
      if (channel === undefined || !isThread(channel)) throw new Error(`${id} is not a thread`)
      channel.isArchived = true
      tellThread(world, channel, "THREAD_UPDATE")
    },
    /** A channel or a thread is deleted. */
    close: (id: string) => {
      const channel = channels.get(id)
      if (channel === undefined) throw new Error(`unknown channel ${id}`)
      tellThread(world, channel, isThread(channel) ? "THREAD_DELETE" : "CHANNEL_DELETE")
      channels.remove(id)
    },
    /** The bot is removed from a server, whose channels it no longer sees. */
    removed: (guild: string = ownGuild) => {
      guilds.delete(guild)
      world.sessions.tell("GUILD_DELETE", () => ({ id: guild }))
      for (const each of channels.all()) if (each.guild === guild) each.access = "hidden"
    },
    guildsOf: () =>
      [...guilds].map((id) => {
        const own = channels.all().filter(({ guild }) => guild === id)
        return {
          id,
          name: `Server ${id.slice(-4)}`,
          channels: own.filter((each) => !isThread(each)).map(channelOf),
          threads: own.filter(isThread).map(channelOf)
        }
      })
  }
}
