/** The channels of `reins.toml` beside the page, and how each is opened. The code of a channel is loaded for its own table. */
import { Effect, Redacted, type Scope } from "effect"
import { type ChannelConfiguration, type ChannelId, type ChannelKind, channels } from "../../api/config/channels.ts"
import { type ChannelSettings, readChannel } from "../../api/config/secrets.ts"
import type { Channel } from "../../bridge/messages/Channel.ts"
import type { ChannelError } from "../../bridge/messages/SendError.ts"
import type { Configuration } from "../../contract/Configuration.ts"
import { untraced } from "../../contract/untraced.ts"

interface ChannelModule<Id extends ChannelId> {
  readonly open: (settings: ChannelSettings<Id>) => Effect.Effect<Channel, ChannelError, Scope.Scope>
  /** A channel that only checks itself, while another one may be served. Default: `open`. */
  readonly openForCheck?: (settings: ChannelSettings<Id>) => Effect.Effect<Channel, ChannelError, Scope.Scope>
  /** Removes what keeps messages away; returns sentences about it. Default: there is nothing to remove. */
  readonly fix?: (settings: ChannelSettings<Id>) => Effect.Effect<ReadonlyArray<string>, ChannelError, Scope.Scope>
}

const modules: { readonly [Id in ChannelId]: () => Promise<ChannelModule<Id>> } = {
  telegram: () => import("./telegramChannel.ts"),
  slack: () => import("./slackChannel.ts"),
  discord: () => import("./discordChannel.ts"),
  whatsapp: () => import("./whatsappChannel.ts")
}

/** A configured channel, with its secrets. */
export interface ReadyChannel {
  /** To be hidden in logs. */
  readonly secrets: ReadonlyArray<string>
  readonly open: Effect.Effect<Channel, ChannelError, Scope.Scope>
  readonly openForCheck: Effect.Effect<Channel, ChannelError, Scope.Scope>
  readonly fix: Effect.Effect<ReadonlyArray<string>, ChannelError, Scope.Scope>
}

const readyChannel = Effect.fn(...untraced("Channels.readyChannel"))(function* <Id extends ChannelId>(
  id: Id,
  kind: ChannelKind,
  table: NonNullable<Configuration[Id]>
) {
  const settings: ChannelSettings<Id> = yield* readChannel(kind, table)
  const module = Effect.promise(modules[id])
  return {
    secrets: Object.values(settings).flatMap((value) =>
      Redacted.isRedacted(value) ? [String(Redacted.value(value))] : []
    ),
    open: Effect.flatMap(module, ({ open }) => open(settings)),
    openForCheck: Effect.flatMap(module, ({ open, openForCheck = open }) => openForCheck(settings)),
    fix: Effect.flatMap(module, ({ fix }) => fix?.(settings) ?? Effect.succeed([]))
  }
})

/** Fails with a sentence that never contains a secret. */
export const ready = (
  kind: ChannelKind,
  configuration: ChannelConfiguration
): Effect.Effect<ReadonlyArray<ReadyChannel>, string> => {
  const table = configuration[kind.id]
  return table === undefined ? Effect.succeed([]) : Effect.map(readyChannel(kind.id, kind, table), (one) => [one])
}

/** All that are configured. */
export const readyChannels = (
  configuration: ChannelConfiguration
): Effect.Effect<ReadonlyArray<ReadyChannel>, string> =>
  Effect.map(
    Effect.forEach(channels, (kind) => ready(kind, configuration)),
    (all) => all.flat()
  )
