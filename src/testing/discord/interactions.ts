/** Presses and commands: interactions, which want an answer soon. They are told to every session, whatever its intents. */
import type { Kept, KeptChannel } from "./channels.ts"
import { channelOf, messageOf } from "./messages.ts"
import type { User } from "./wire.ts"
import type { World } from "./world.ts"

interface By {
  readonly user: User
  readonly roles: ReadonlyArray<string>
}

const interact = (
  world: World,
  channel: KeptChannel,
  { user, roles }: By,
  more: Readonly<Record<string, unknown>>
): string => {
  const id = world.nextId()
  const token = `interaction-${id}`
  world.interactions.set(id, { token, until: world.clock.now() + world.interactionMs, isAnswered: false })
  const by =
    channel.guild === undefined
      ? { user }
      : { guild_id: channel.guild, member: { user, roles: [...roles], joined_at: null, permissions: "0" } }
  world.sessions.tell("INTERACTION_CREATE", () => ({
    id,
    application_id: world.me.id,
    token,
    version: 1,
    channel_id: channel.id,
    channel: channelOf(channel),
    ...by,
    ...more
  }))
  return id
}

export const componentPress = (
  world: World,
  channel: KeptChannel,
  message: Kept,
  { data, ...by }: By & { readonly data: string }
): string =>
  interact(world, channel, by, {
    type: 3,
    message: messageOf(world, channel, message, true),
    data: { custom_id: data, component_type: 2 }
  })

export const slashCommand = (
  world: World,
  channel: KeptChannel,
  { name, text, ...by }: By & { readonly name: string; readonly text: string | undefined }
): string =>
  interact(world, channel, by, {
    type: 2,
    data: {
      id: "1",
      name,
      type: 1,
      ...(text === undefined ? {} : { options: [{ name: "text", type: 3, value: text }] })
    }
  })
