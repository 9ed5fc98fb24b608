/** Messages, files and conversations in Slack's words, as a person sees them, and as text. */
import { type Block, buttonsOf, notifiedBy, notifiedByBlocks, textOfBlocks, unescaped } from "./blocks.ts"
import type { Kept, KeptFile, KeptPlace, Metadata } from "./places.ts"
import type { World } from "./world.ts"

const seconds = (ms: number) => Math.floor(ms / 1_000)

export const fileOf = ({ files, team }: Pick<World, "files" | "team">, file: KeptFile) => {
  const { id, name, title, mimeType, bytes, user, createdAt, isVoice } = file
  const link = files.linkOf(file)
  return {
    id,
    created: seconds(createdAt),
    timestamp: seconds(createdAt),
    name,
    title,
    mimetype: mimeType,
    filetype: /\.(\w{1,8})$/.exec(name)?.[1] ?? "binary",
    user,
    user_team: team.id,
    size: bytes,
    mode: "hosted",
    is_external: false,
    is_public: false,
    ...(isVoice ? { subtype: "slack_audio" } : {}),
    url_private: link,
    url_private_download: link
  }
}

/** All that each share of a file says; in channels that everybody may join they are public. */
export const sharesOf = ({ shares }: KeptFile) => {
  const of = (isPublic: boolean) => {
    const found: Record<string, Array<{ readonly ts: string; readonly thread_ts?: string }>> = {}
    for (const { place, ts, thread } of shares) {
      if ((place.kind === "channel") !== isPublic) continue
      found[place.id] = [...(found[place.id] ?? []), { ts, ...(thread === undefined ? {} : { thread_ts: thread }) }]
    }
    return found
  }
  const [open, closed] = [of(true), of(false)]
  return {
    ...(Object.keys(open).length === 0 ? {} : { public: open }),
    ...(Object.keys(closed).length === 0 ? {} : { private: closed })
  }
}

/** A message as events, answers and histories have it. Metadata comes only where it is asked for. */
export const messageOf = (world: World, place: KeptPlace, message: Kept, withMetadata = false) => {
  const { me, team, places } = world
  const { ts, user, isOurs, text, blocks, thread, editedAt, files, subtype, metadata, more } = message
  const person = world.people.get(user)
  const own = person?.team ?? team.id
  const replies = places.repliesOf(place, ts)
  const root = thread === undefined ? undefined : places.messageOf(place, thread)
  return {
    type: "message" as const,
    ...(subtype === undefined ? {} : { subtype }),
    user,
    text,
    ts,
    team: own,
    ...(own === team.id ? {} : { user_team: own, source_team: own }),
    ...(person?.isBot === true && !isOurs ? { bot_id: user.replace(/^./, "B") } : {}),
    ...(isOurs
      ? {
          bot_id: me.botId,
          app_id: me.appId,
          bot_profile: { id: me.botId, app_id: me.appId, name: me.username, team_id: team.id, deleted: false }
        }
      : {}),
    ...(blocks.length === 0 ? {} : { blocks }),
    ...(files.length === 0 ? {} : { files: files.map((file) => fileOf(world, file)), upload: false }),
    ...(thread === undefined ? {} : { thread_ts: thread }),
    ...(root === undefined ? {} : { parent_user_id: root.user }),
    ...(replies.length === 0
      ? {}
      : {
          thread_ts: ts,
          reply_count: replies.length,
          reply_users: [...new Set(replies.map((reply) => reply.user))],
          latest_reply: replies.at(-1)?.ts
        }),
    ...(editedAt === undefined ? {} : { edited: { user, ts: `${seconds(editedAt)}.000000` } }),
    ...(withMetadata && metadata !== undefined ? { metadata } : {}),
    ...more
  }
}

/** A conversation as the bot is told of it. */
export const placeOf = ({ id, kind, name, user, isMember, isArchived, isShared }: KeptPlace) => ({
  id,
  created: 1_600_000_000,
  is_archived: isArchived,
  is_channel: kind === "channel",
  is_group: kind === "group",
  is_im: kind === "im",
  is_mpim: kind === "mpim",
  is_private: kind !== "channel",
  is_shared: isShared,
  is_ext_shared: isShared,
  ...(kind === "im" ? { user } : { name, name_normalized: name, is_member: isMember })
})

/** A message as a person sees it. */
export interface SlackMessage {
  /** Its channel or direct chat. */
  readonly chat: string
  /** Its `ts`. */
  readonly messageId: string
  /** The id of its sender. */
  readonly from: string
  /** The name of its sender. */
  readonly name: string
  /** Whether the bot sent it. */
  readonly isOurs: boolean
  /** For its blocks, if it has some. */
  readonly text: string
  /** All that notifications and screen readers say, in Slack's markup: its `text`. */
  readonly notification: string
  readonly blocks: ReadonlyArray<Block>
  /** The labels of its buttons. */
  readonly buttons: ReadonlyArray<string>
  /** The same, with what they say when they are pressed. */
  readonly keyboard: ReadonlyArray<{ readonly label: string; readonly data?: string }>
  /** It was changed, whether or not people are shown that. */
  readonly edited: boolean
  /** In ms since 1970. */
  readonly at: number
  /** The root of its thread; undefined for the root itself. */
  readonly thread?: string
  readonly files: ReadonlyArray<{ readonly id: string; readonly name: string; readonly bytes: number }>
  readonly metadata?: Metadata
  /** Whom it notifies by name, such as `@U123` and `@channel`. */
  readonly notifies: ReadonlyArray<string>
}

export const shownOf = ({ people }: Pick<World, "people">, { id: chat }: KeptPlace, message: Kept): SlackMessage => {
  const { ts, user, isOurs, text, blocks, editedAt, at, thread, files, metadata } = message
  const buttons = buttonsOf(blocks)
  return {
    chat,
    messageId: ts,
    from: user,
    name: people.get(user)?.name ?? user,
    isOurs,
    text: isOurs && blocks.length > 0 ? textOfBlocks(blocks) : unescaped(text),
    notification: text,
    blocks,
    buttons: buttons.map(({ label }) => label),
    keyboard: buttons.map(({ label, value }) => ({ label, ...(value === undefined ? {} : { data: value }) })),
    edited: editedAt !== undefined,
    at,
    files: files.map(({ id, name, bytes }) => ({ id, name, bytes })),
    notifies: [...new Set([...notifiedBy(text), ...notifiedByBlocks(blocks)])],
    ...(thread === undefined ? {} : { thread }),
    ...(metadata === undefined ? {} : { metadata })
  }
}

const size = (bytes: number) => (bytes < 1_000 ? `${bytes} B` : `${Math.round(bytes / 1_000)} kB`)

/** Messages as text; ids are of no use to an eye, so they are counted. */
export const render = (messages: ReadonlyArray<SlackMessage>): string => {
  const numbers = new Map(messages.map(({ messageId }, index) => [messageId, index + 1]))
  const linesOf = (message: SlackMessage) => {
    const { messageId, name, isOurs, thread, edited, files, text, buttons } = message
    const notes = [
      ...(thread === undefined ? [] : [`reply to ${numbers.get(thread) ?? thread}`]),
      ...(edited ? ["edited"] : [])
    ]
    return [
      `#${numbers.get(messageId)} ${isOurs ? "🤖 " : ""}${name}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`,
      ...files.map((file) => `   📎 ${file.name}, ${size(file.bytes)}`),
      ...(text === "" ? [] : text.split("\n").map((line) => `   ${line}`)),
      ...(buttons.length === 0 ? [] : [`   ${buttons.map((label) => `[${label}]`).join(" ")}`])
    ]
  }
  return messages.flatMap(linesOf).join("\n")
}
