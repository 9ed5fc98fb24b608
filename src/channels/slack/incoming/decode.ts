/** Events, presses and commands of Slack → updates of the channel; pure. */
import { Option } from "effect"
import { commandsFor } from "../../../bridge/commands/command.ts"
import type { MessageAttachment, Sender } from "../../../bridge/messages/ChannelMessage.ts"
import type { Conversation } from "../../../bridge/messages/Conversation.ts"
import type { Incoming } from "../../../bridge/messages/Incoming.ts"
import { present } from "../../../contract/present.ts"
import { isChat, isDirect, isTs } from "../place.ts"
import { channelId } from "../SlackOptions.ts"
import { addressee, mentions, plainText } from "./plainText.ts"
import {
  type Me,
  readFile,
  readMessage,
  type WireCommand,
  type WireEvent,
  type WireFile,
  type WireMessage,
  type WirePress
} from "./wire.ts"

/** A message of a person, and where. */
export interface Said {
  readonly chatId: string
  readonly message: WireMessage
  /** Whom a list has to name. */
  readonly sender: Sender
  readonly isMention: boolean
  /** It begins with another person. */
  readonly isForAnother: boolean
}

/** Messages of people; all other kinds tell of the chat, or are another app's. */
const kinds: ReadonlySet<string | undefined> = new Set([undefined, "file_share", "thread_broadcast"])

/** Slack itself takes what begins with a slash. */
const commandNames = new Set(commandsFor("owner").map(({ name }) => name))
const withCommand = (text: string) =>
  text.replace(/^!([a-z]+)\b/i, (whole, name: string) => (commandNames.has(name.toLowerCase()) ? `/${name}` : whole))

const kindOf = ({ mimetype, subtype }: WireFile): MessageAttachment["kind"] => {
  if (subtype === "slack_audio") return "voice"
  const [kind] = (mimetype ?? "").split("/")
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "document"
}

const attachmentOf = (file: WireFile): MessageAttachment => ({
  kind: kindOf(file),
  fileId: file.id,
  ...present({
    name: file.name?.slice(0, 255),
    mimeType: file.mimetype?.slice(0, 255),
    bytes: file.size ?? undefined
  })
})

const mostFiles = 20

export const makeDecode = ({ userId, teamId }: Me, accountId: string) => {
  /** People of other workspaces are named with theirs: ids are unique in a workspace alone. */
  const senderOf = (user: string, team: string | null | undefined, name?: string | null): Sender => ({
    id: team && team !== teamId ? `${team}/${user}` : user,
    ...present({ username: name || undefined }),
    isBot: false
  })

  /** In a direct chat a thread is one; elsewhere each message that nobody has answered begins one. */
  const conversationOf = (
    chatId: string,
    threadTs: string | null | undefined,
    ts: string | undefined
  ): Conversation => {
    const threadId = isDirect(chatId) ? threadTs : (threadTs ?? ts)
    return { channel: channelId, accountId, chatId, ...present({ threadId: threadId ?? undefined }) }
  }

  const chatOf = (chatId: string) => (isDirect(chatId) ? ("direct" as const) : ("group" as const))

  const said = (chatId: string, message: WireMessage): Said | undefined => {
    const { user, bot_id, subtype, ts, text } = message
    if (!user || bot_id || user === userId || !isTs(ts) || !kinds.has(subtype ?? undefined)) return undefined
    const first = addressee(text ?? "")
    return {
      chatId,
      message,
      sender: senderOf(user, message.user_team ?? message.team),
      isMention: mentions(text ?? "", userId),
      isForAnother: first !== undefined && first !== userId
    }
  }

  return {
    /** Undefined for what no person has said. Histories have the same messages. */
    said: (chatId: string, input: unknown): Said | undefined => {
      const message = Option.getOrUndefined(readMessage(input))
      return message === undefined || !isChat(chatId) ? undefined : said(chatId, message)
    },

    message: ({ chatId, message, sender, isMention }: Said, isFollowed: boolean): Incoming => {
      const { ts, thread_ts, text, files } = message
      return {
        _tag: "Message",
        message: {
          conversation: conversationOf(chatId, thread_ts, ts),
          updateId: `${chatId}:${ts}`,
          messageId: ts,
          chat: chatOf(chatId),
          sentAt: Math.floor(Number(ts) * 1_000),
          sender,
          text: withCommand(plainText(text ?? "", userId)),
          attachments: (files ?? [])
            .slice(0, mostFiles)
            .flatMap((file) => Option.toArray(readFile(file)))
            .map(attachmentOf),
          addressed: isDirect(chatId) || isMention || isFollowed
        }
      }
    },

    /** A message was changed or deleted; the preview of a link changes a message, too, but not its text. */
    edited: ({ subtype, channel, event_ts, message, previous_message }: WireEvent): Incoming | undefined => {
      const before = Option.getOrUndefined(readMessage(previous_message))
      const now = Option.getOrUndefined(readMessage(message))
      if (!channel || !isChat(channel) || before === undefined) return undefined
      const author = said(channel, before)
      if (author === undefined) return undefined
      const isDeleted = subtype === "message_deleted" || now?.subtype === "tombstone"
      if (!isDeleted && (now === undefined || now.text === before.text)) return undefined
      return {
        _tag: "Edited",
        conversation: conversationOf(channel, before.thread_ts, before.ts),
        updateId: `${channel}:${event_ts ?? `${before.ts}:${subtype}`}`,
        chat: chatOf(channel),
        sender: author.sender,
        messageId: before.ts,
        ...(isDeleted ? {} : { text: withCommand(plainText(now?.text ?? "", userId)) })
      }
    },

    press: ({ user, channel, container, message, response_url, actions }: WirePress): Incoming | undefined => {
      const [{ value, action_ts }] = actions
      const ts = container?.message_ts ?? message?.ts
      if (!isChat(channel.id) || !value) return undefined
      return {
        _tag: "Pressed",
        conversation: conversationOf(channel.id, message?.thread_ts, ts ?? undefined),
        updateId: `${channel.id}:${ts}:${user.id}:${action_ts}`,
        chat: chatOf(channel.id),
        sender: senderOf(user.id, user.team_id, user.name),
        ...present({ messageId: ts ?? undefined }),
        data: value,
        press: { responseUrl: response_url ?? null }
      }
    },

    /** The one command of the app: `/reins status` is `/status`. In a channel it belongs to the channel, not to a thread. */
    command: (
      { text, channel_id, user_id, user_name, team_id, trigger_id }: WireCommand,
      now: number
    ): Incoming | undefined => {
      if (!isChat(channel_id)) return undefined
      const words = plainText(text ?? "", userId).replace(/^[/!]/, "")
      return {
        _tag: "Message",
        message: {
          conversation: { channel: channelId, accountId, chatId: channel_id },
          updateId: trigger_id,
          chat: chatOf(channel_id),
          sentAt: now,
          sender: senderOf(user_id, team_id, user_name),
          text: `/${words || "help"}`,
          attachments: [],
          addressed: true
        }
      }
    },

    /** The bot is no longer in a channel, or nobody can write there any more. */
    left: ({ type, subtype, channel, user, event_ts }: WireEvent): Incoming | undefined => {
      const isLeft =
        /^(?:member_left_channel|channel_left|group_left)$/.test(type) ||
        /^(?:channel|group)_leave$/.test(subtype ?? "")
      const isOver =
        /^(?:channel|group)_(?:archive|deleted)$/.test(type) || /^(?:channel|group)_archive$/.test(subtype ?? "")
      if (!channel || !isChat(channel) || !(isOver || (isLeft && (user ?? userId) === userId))) return undefined
      return {
        _tag: "Left",
        conversation: { channel: channelId, accountId, chatId: channel },
        updateId: `${channel}:left:${event_ts}`
      }
    }
  }
}
export type Decode = ReturnType<typeof makeDecode>
