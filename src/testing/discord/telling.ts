/** Tells a bot of channels and messages, by the intents of its session. */
import type { Kept, KeptChannel } from "./channels.ts"
import { intents } from "./limits.ts"
import { channelOf, eventOf } from "./messages.ts"
import type { World } from "./world.ts"

const covers = (of: number, channel: KeptChannel) =>
  (of & (channel.guild === undefined ? intents.directMessages : intents.guildMessages)) !== 0

/** The bot hears nothing of channels that it does not see. */
const reaches = (world: World, channel: KeptChannel) => {
  const parent = channel.parent === undefined ? undefined : world.channels.get(channel.parent)
  return channel.access !== "hidden" && parent?.access !== "hidden"
}

export const tellMessage = (
  world: World,
  channel: KeptChannel,
  message: Kept,
  t: "MESSAGE_CREATE" | "MESSAGE_UPDATE" = "MESSAGE_CREATE",
  more: Readonly<Record<string, unknown>> = {}
) => {
  if (!reaches(world, channel)) return
  world.sessions.tell(t, (of) =>
    covers(of, channel)
      ? { ...eventOf(world, channel, message, world.hasContent && (of & intents.messageContent) !== 0), ...more }
      : undefined
  )
}

export const tellRemoval = (world: World, channel: KeptChannel, messageId: string) => {
  if (!reaches(world, channel)) return
  const guild = channel.guild === undefined ? {} : { guild_id: channel.guild }
  world.sessions.tell("MESSAGE_DELETE", (of) =>
    covers(of, channel) ? { id: messageId, channel_id: channel.id, ...guild } : undefined
  )
}

export const tellThread = (
  world: World,
  thread: KeptChannel,
  t: "THREAD_CREATE" | "THREAD_UPDATE" | "THREAD_DELETE" | "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "CHANNEL_DELETE"
) => {
  if (!reaches(world, thread)) return
  world.sessions.tell(t, (of) => ((of & intents.guilds) === 0 ? undefined : channelOf(thread)))
}
