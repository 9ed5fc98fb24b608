/**
 * Events of Slack → updates of the channel; pure. Dropped are messages of bots and of the app itself, joins and topics, and
 * changes that leave the text as it was, such as the preview of a link.
 */

import { commandTable } from "../../../bridge/commands/command.ts"
import type { MessageAttachment, Sender } from "../../../bridge/messages/ChannelMessage.ts"
import type { Conversation } from "../../../bridge/messages/Conversation.ts"
import type { Incoming } from "../../../bridge/messages/Incoming.ts"
import { present } from "../../../contract/present.ts"
import { channelId } from "../SlackOptions.ts"
import type { BlockActions, EventPayload, Me, SlashCommand, WireFile, WireMessage, WireMessageEvent } from "./wire.ts"

const unescaped = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** `<kind|label>`, such as `<@U1|Ann>`, `<#C1|general>`, `<!here>`, `<https://a.example|a>`. */
const readable = (inside: string): string => {
  const [target = "", label = ""] = inside.split(/\|(.*)/s)
  if (target.startsWith("@")) return label === "" ? target : `@${label.replace(/^@/, "")}`
  if (target.startsWith("#")) return label === "" ? target : `#${label.replace(/^#/, "")}`
  if (target.startsWith("!")) {
    if (label !== "") return label
    return `@${target.slice(1).replace(/^subteam\^/, "")}`
  }
  const address = target.replace(/^(?:mailto|tel):/, "")
  return label === "" || label === address || label === target ? address : `${label} (${target})`
}

/** Slack's markup as text, without mentions of the bot. */
export const textOf = (markup: string, botUser: string): string =>
  unescaped(
    markup
      .replaceAll(new RegExp(`\\s*<@${botUser}(?:\\|[^>]*)?>[,:]?`, "g"), "")
      .replace(/<([^<>]+)>/g, (_, inside: string) => readable(inside))
  ).trim()

export const isMentioned = (markup: string, user: string): boolean => new RegExp(`<@${user}(?:\\|[^>]*)?>`).test(markup)

/** The text begins with someone else. */
const isForOther = (markup: string, user: string): boolean => {
  const [, first] = /^\s*<@([UW]\w+)(?:\|[^>]*)?>/.exec(markup) ?? []
  return first !== undefined && first !== user
}

const kindOf = ({ mimetype, subtype }: WireFile): MessageAttachment["kind"] => {
  if (subtype === "slack_audio") return "voice"
  const [kind = ""] = (mimetype ?? "").split("/")
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

/** For a `ts`, which is seconds since 1970 with six digits behind the point. */
const millisOf = (ts: string): number => {
  const ms = Number(ts) * 1_000
  return Number.isFinite(ms) ? Math.floor(ms) : 0
}

const isTs = (text: string | null | undefined): text is string => /^\d{1,13}\.\d{6}$/.test(text ?? "")

/** Subtypes of messages that people write. */
const output: ReadonlySet<string | undefined> = new Set([undefined, "file_share", "thread_broadcast"])

const directKind = (chat: string) => (chat.startsWith("D") ? "direct" : "group")

/** Where a message is: the mark has its newest. */
export const placeOf = (channel: string, { ts, thread_ts: thread }: Pick<WireMessage, "ts" | "thread_ts">): string =>
  isTs(thread) && thread !== ts ? `${channel}/${thread}` : channel

export interface DecodeContext {
  readonly me: Me
  readonly accountId: string
}

type Author = Pick<WireMessage, "user" | "user_team" | "team" | "user_profile">

export const makeDecode = ({ me, accountId }: DecodeContext) => {
  const conversationOf = (chatId: string, threadId?: string): Conversation => ({
    channel: channelId,
    accountId,
    chatId,
    ...present({ threadId })
  })

  /** In a channel, a message begins a thread at itself. */
  const threadOf = (channel: string, { ts, thread_ts: thread }: Pick<WireMessage, "ts" | "thread_ts">) => {
    const own = isTs(thread) ? thread : undefined
    return directKind(channel) === "direct" ? own : (own ?? ts)
  }

  const idOf = (user: string, team: string | null | undefined) =>
    typeof team === "string" && team !== me.team_id ? `${team}/${user}` : user

  const senderOf = (user: string, { user_team, team, user_profile }: Author): Sender => ({
    id: idOf(user, user_team ?? team),
    ...present({
      name: user_profile?.display_name || user_profile?.real_name || undefined,
      username: user_profile?.name ?? undefined
    }),
    isBot: false
  })

  /** The person who wrote it; undefined for bots and for what no one wrote. */
  const authorOf = ({ user, bot_id, app_id }: WireMessage): string | undefined =>
    typeof user !== "string" || user === me.user_id || bot_id != null || app_id === accountId ? undefined : user

  /** `isOwnThread`: the bot was brought into the thread before. */
  const message = (channel: string, wire: WireMessage, isOwnThread: boolean): Incoming | undefined => {
    const author = authorOf(wire)
    if (author === undefined || !isTs(wire.ts) || !output.has(wire.subtype ?? undefined)) return undefined
    const markup = wire.text ?? ""
    const chat = directKind(channel)
    return {
      _tag: "Message",
      message: {
        conversation: conversationOf(channel, threadOf(channel, wire)),
        updateId: `${channel}:${wire.ts}`,
        messageId: wire.ts,
        chat,
        sentAt: millisOf(wire.ts),
        sender: senderOf(author, wire),
        text: textOf(markup, me.user_id),
        attachments: (wire.files ?? []).map(attachmentOf),
        addressed:
          chat === "direct" || isMentioned(markup, me.user_id) || (isOwnThread && !isForOther(markup, me.user_id))
      }
    }
  }

  const change = (event: WireMessageEvent): Incoming | undefined => {
    const { channel, message: after, previous_message: before, event_ts, ts } = event
    if (after == null) return undefined
    // The root of a thread leaves a stone behind when it is deleted.
    const isDeleted = after.subtype === "tombstone"
    const author = authorOf(isDeleted && before != null ? before : after)
    if (author === undefined || (!isDeleted && after.text === before?.text)) return undefined
    return {
      _tag: "Edited",
      conversation: conversationOf(channel, threadOf(channel, after)),
      updateId: `${channel}:${after.ts}:${event_ts ?? ts}`,
      chat: directKind(channel),
      sender: senderOf(author, after),
      messageId: after.ts,
      ...(isDeleted ? {} : { text: textOf(after.text ?? "", me.user_id) })
    }
  }

  const deletion = ({ channel, deleted_ts, previous_message: before, event_ts, ts }: WireMessageEvent) => {
    const author = before == null ? undefined : authorOf(before)
    if (before == null || author === undefined || deleted_ts == null) return undefined
    return {
      _tag: "Edited",
      conversation: conversationOf(channel, threadOf(channel, before)),
      updateId: `${channel}:${deleted_ts}:${event_ts ?? ts}`,
      chat: directKind(channel),
      sender: senderOf(author, before),
      messageId: deleted_ts
    } satisfies Incoming
  }

  return {
    message,
    /** Whether the message of an event may be heard only with what is known of its thread. */
    threadInQuestion: (event: EventPayload["event"]): { channel: string; thread: string } | undefined => {
      if (event.type !== "message" || event.subtype === "message_changed" || event.subtype === "message_deleted")
        return undefined
      const { channel, thread_ts: thread, ts, text } = event
      if (directKind(channel) === "direct" || !isTs(thread) || thread === ts || authorOf(event) === undefined)
        return undefined
      return isMentioned(text ?? "", me.user_id) ? undefined : { channel, thread }
    },
    /** For another workspace, which the app has nothing to do with. */
    isForeign: ({ team_id, is_ext_shared_channel: isShared }: EventPayload): boolean =>
      team_id != null && team_id !== me.team_id && isShared !== true,
    event: (event: EventPayload["event"], isOwnThread: boolean): Incoming | undefined => {
      switch (event.type) {
        case "message":
        case "app_mention":
          if (event.subtype === "message_changed") return change(event)
          if (event.subtype === "message_deleted") return deletion(event)
          return message(event.channel, event, isOwnThread)
        case "app_uninstalled":
        case "tokens_revoked":
          return undefined
        case "member_left_channel":
          if (event.user !== me.user_id) return undefined
      }
      const { channel, event_ts } = event
      return { _tag: "Left", conversation: conversationOf(channel), updateId: `${channel}:left:${event_ts ?? ""}` }
    },
    press: ({ trigger_id, user, channel, container, message, response_url, actions }: BlockActions) => {
      const [action] = actions
      if (typeof action?.value !== "string") return undefined
      const thread = message?.thread_ts ?? container.thread_ts
      const { id, name, username, team_id } = user
      return {
        _tag: "Pressed",
        conversation: conversationOf(
          channel.id,
          threadOf(channel.id, { ts: container.message_ts, thread_ts: thread ?? null })
        ),
        updateId: `press:${trigger_id}`,
        chat: directKind(channel.id),
        sender: {
          id: idOf(id, team_id),
          ...present({ name: name ?? undefined, username: username ?? undefined }),
          isBot: false
        },
        messageId: container.message_ts,
        data: action.value,
        press: response_url == null ? {} : { response_url }
      } satisfies Incoming
    },
    /** `/reins status`: what follows the name is a command of the bridge, or a message. */
    command: ({ trigger_id, team_id, channel_id, user_id, user_name, text }: SlashCommand, now: number) => {
      const words = unescaped(text ?? "").trim()
      const [first = ""] = words.split(/\s/, 1)
      const isCommand = words === "" || commandTable.some(({ name }) => name === first.toLowerCase())
      return {
        _tag: "Message",
        message: {
          conversation: conversationOf(channel_id),
          updateId: `command:${trigger_id}`,
          chat: directKind(channel_id),
          sentAt: now,
          sender: { id: idOf(user_id, team_id), ...present({ username: user_name ?? undefined }), isBot: false },
          text: isCommand ? `/${words || "help"}` : words,
          attachments: [],
          addressed: true
        }
      } satisfies Incoming
    }
  }
}
