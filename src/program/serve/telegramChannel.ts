/** The bot of Telegram for `reins serve`. */
import { Effect, type Scope } from "effect"
import type { ChannelSettings } from "../../api/config/secrets.ts"
import type { Channel } from "../../bridge/messages/Channel.ts"
import type { ChannelError } from "../../bridge/messages/SendError.ts"
import { removeWebhook } from "../../channels/telegram/check.ts"
import { Telegram } from "../../channels/telegram/Telegram.ts"

export const open = ({
  token,
  apiRoot,
  groups
}: ChannelSettings<"telegram">): Effect.Effect<Channel, ChannelError, Scope.Scope> =>
  Telegram.channel({ token, apiRoot, groups })

/** Removes a webhook, which would take the bot's messages. */
export const fix = ({
  token,
  apiRoot
}: ChannelSettings<"telegram">): Effect.Effect<ReadonlyArray<string>, ChannelError, Scope.Scope> =>
  Effect.map(removeWebhook({ token, apiRoot }), (place) =>
    place === undefined ? [] : [`The webhook at ${place} is removed: messages come here again, those that waited, too.`]
  )
