/** The bot of Telegram for `reins serve`: the one file that knows how the channel is made. Loaded only for a bot. */
import type { Effect, Scope } from "effect"
import type { TelegramBot } from "../../api/config/secrets.ts"
import type { Channel } from "../../bridge/messages/Channel.ts"
import type { ChannelError } from "../../bridge/messages/SendError.ts"
import { removeWebhook } from "../../channels/telegram/check.ts"
import { Telegram } from "../../channels/telegram/Telegram.ts"

export const openTelegram = (bot: TelegramBot): Effect.Effect<Channel, ChannelError, Scope.Scope> =>
  Telegram.channel({ token: bot.token, apiRoot: bot.apiRoot, groups: bot.groups })

/** Returns the address of the removed webhook, which took the bot's messages; undefined without one. */
export const freeTelegram = (bot: TelegramBot): Effect.Effect<string | undefined, ChannelError, Scope.Scope> =>
  removeWebhook({ token: bot.token, apiRoot: bot.apiRoot })
