/** Messages and channels in Discord's words, as a person sees them, and as text. */
import { isThread, type Kept, type KeptChannel } from "./channels.ts"
import type { Attachment, Channel, Message, MessageEvent, User } from "./wire.ts"
import type { World } from "./world.ts"

const timeOf = (ms: number) => new Date(ms).toISOString()
const mentioned = /<@!?(\d+)>/g

const mentionsOf = (content: string): ReadonlyArray<string> => [
  ...new Set([...content.matchAll(mentioned)].map(([, id = ""]) => id))
]

export const channelOf = (channel: KeptChannel): Channel => {
  const { id, type, guild, parent, owner, person, name, isArchived } = channel
  if (person !== undefined) return { id, type, recipients: [person] }
  return {
    id,
    type,
    name,
    ...(guild === undefined ? {} : { guild_id: guild }),
    parent_id: parent ?? null,
    ...(owner === undefined ? {} : { owner_id: owner }),
    ...(isThread(channel)
      ? {
          thread_metadata: {
            archived: isArchived,
            locked: false,
            auto_archive_duration: 1_440,
            archive_timestamp: timeOf(0)
          }
        }
      : {})
  }
}

const attachmentsOf = (world: World, channel: KeptChannel, { id, files }: Kept): Array<Attachment> =>
  files.map((file) => {
    const url = world.linkOf(channel.id, id, file)
    return {
      id: file.id,
      filename: file.name,
      size: file.bytes,
      url,
      proxy_url: url,
      ...(file.type === undefined ? {} : { content_type: file.type }),
      ...(file.isVoice ? { waveform: "AAAA" } : {})
    }
  })

/** `isWhole`: with the content intent. Without it only what is meant for the bot has content. */
export const messageOf = (world: World, channel: KeptChannel, message: Kept, isWhole: boolean): Message => {
  const { author, content, components, replyTo, isOurs } = message
  const names = mentionsOf(content)
  const isShown = isWhole || channel.guild === undefined || isOurs || names.includes(world.me.id)
  const to = world.channels.messageOf(channel, replyTo)
  const thread = isThread(channel) ? undefined : world.channels.get(message.id)
  const place = { channel_id: channel.id, ...(channel.guild === undefined ? {} : { guild_id: channel.guild }) }
  return {
    id: message.id,
    channel_id: channel.id,
    author,
    content: isShown ? content : "",
    timestamp: timeOf(message.at),
    edited_timestamp: message.editedAt === undefined ? null : timeOf(message.editedAt),
    tts: false,
    mention_everyone: message.notified.includes("everyone"),
    mentions: names.map((id) => world.userOf(id)),
    mention_roles: [],
    attachments: isShown ? attachmentsOf(world, channel, message) : [],
    embeds: [],
    pinned: false,
    type: message.type,
    flags: message.flags,
    components: isShown ? [...components] : [],
    ...(replyTo === undefined
      ? {}
      : {
          message_reference: { type: message.isForwarded ? (1 as const) : (0 as const), message_id: replyTo, ...place },
          ...(message.isForwarded
            ? {}
            : { referenced_message: to === undefined ? null : messageOf(world, channel, to, isWhole) })
        }),
    ...(thread === undefined ? {} : { thread: channelOf(thread) })
  }
}

export const eventOf = (world: World, channel: KeptChannel, message: Kept, isWhole: boolean): MessageEvent => ({
  ...messageOf(world, channel, message, isWhole),
  ...(channel.guild === undefined
    ? {}
    : {
        guild_id: channel.guild,
        member: { roles: [...message.roles], joined_at: timeOf(0), deaf: false, mute: false, flags: 0 }
      }),
  ...(message.nonce === undefined ? {} : { nonce: message.nonce })
})

/** A message as a person sees it. */
export interface DiscordMessage {
  readonly channel: string
  readonly messageId: string
  /** The id of its author. */
  readonly from: string
  /** The name of its author. */
  readonly name: string
  /** Whether the bot sent it. */
  readonly isOurs: boolean
  /** As it is stored: with its Markdown. */
  readonly text: string
  /** The labels of its buttons. */
  readonly buttons: ReadonlyArray<string>
  /** The same in rows, with what they say when they are pressed. */
  readonly keyboard: ReadonlyArray<ReadonlyArray<{ readonly label: string; readonly data: string }>>
  readonly edited: boolean
  /** Sent without a notification. */
  readonly silent: boolean
  /** Sent without link previews. */
  readonly withoutPreviews: boolean
  /** In ms since 1970. */
  readonly at: number
  readonly replyTo?: string
  readonly files: ReadonlyArray<{ readonly name: string; readonly bytes: number }>
  /** Ids of people and roles, or `everyone`, who got a notification by a mention in it. */
  readonly notified: ReadonlyArray<string>
  /** The thread that it begins. */
  readonly thread?: string
}

const nameOf = ({ global_name, username }: User) => global_name ?? username

export const shownOf = (world: World, channel: KeptChannel, message: Kept): DiscordMessage => {
  const rows = message.components.map((row) => row.components.map(({ label, custom_id: data }) => ({ label, data })))
  const thread = isThread(channel) ? undefined : world.channels.get(message.id)
  return {
    channel: channel.id,
    messageId: message.id,
    from: message.author.id,
    name: nameOf(message.author),
    isOurs: message.isOurs,
    text: message.content,
    buttons: rows.flat().map(({ label }) => label),
    keyboard: rows,
    edited: message.editedAt !== undefined,
    silent: (message.flags & 4_096) !== 0,
    withoutPreviews: (message.flags & 4) !== 0,
    at: message.at,
    files: message.files.map(({ name, bytes }) => ({ name, bytes })),
    notified: message.notified,
    ...(message.replyTo === undefined ? {} : { replyTo: message.replyTo }),
    ...(thread === undefined ? {} : { thread: thread.id })
  }
}

const lines = ({ messageId, name, isOurs, silent, edited, text, files, keyboard, replyTo }: DiscordMessage) => {
  const notes = [
    ...(replyTo === undefined ? [] : [`reply to ${replyTo}`]),
    ...(silent ? ["silent"] : []),
    ...(edited ? ["edited"] : [])
  ]
  return [
    `#${messageId} ${isOurs ? "🤖 " : ""}${name}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`,
    ...files.map((file) => `   📎 ${file.name}, ${file.bytes} B`),
    ...(text === "" ? [] : text.split("\n").map((line) => `   ${line}`)),
    ...keyboard.map((row) => `   ${row.map(({ label }) => `[${label}]`).join(" ")}`)
  ]
}

export const render = (messages: ReadonlyArray<DiscordMessage>): string =>
  messages.map((message) => lines(message).join("\n")).join("\n")
