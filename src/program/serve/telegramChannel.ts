/** The bot of Telegram as `reins serve` has it: the one file that knows how the channel is made. Loaded where there is one. */
import type { Effect, Scope } from "effect"
import type { TelegramBot } from "../../api/config/telegram.ts"
import type { Channel } from "../../bridge/messages/Channel.ts"
import type { ChannelError } from "../../bridge/messages/SendError.ts"
import { removeWebhook } from "../../channels/telegram/check.ts"
import { Telegram } from "../../channels/telegram/Telegram.ts"

export const openTelegram = ({
  token,
  apiRoot,
  groups
}: TelegramBot): Effect.Effect<Channel, ChannelError, Scope.Scope> => Telegram.channel({ token, apiRoot, groups })

/** Gives where the webhook was that took the bot's messages; undefined: none was removed. */
export const freeTelegram = ({
  token,
  apiRoot
}: TelegramBot): Effect.Effect<string | undefined, ChannelError, Scope.Scope> => removeWebhook({ token, apiRoot })
