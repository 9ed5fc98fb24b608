/** A bot of a fake Telegram, as a channel. */
import { Effect, type Scope } from "effect"
import { Telegram } from "../../../src/channels/telegram/Telegram.ts"
import type { TelegramOptions } from "../../../src/channels/telegram/TelegramOptions.ts"
import type { Channel } from "../../../src/messages/Channel.ts"
import type { ChannelError } from "../../../src/messages/SendError.ts"
import { TelegramServer } from "../../../src/testing/ScopedTelegram.ts"
import type { TelegramServerOptions } from "../../../src/testing/telegram/world.ts"

export const ann = 1001
export const place = { channel: "telegram", accountId: "123456", chatId: String(ann) }

export const start = (
  options: TelegramServerOptions = {},
  more: Partial<TelegramOptions> = {}
): Effect.Effect<{ readonly tg: TelegramServer; readonly channel: Channel }, ChannelError, Scope.Scope> =>
  Effect.gen(function* () {
    const tg = yield* TelegramServer.make({ pace: false, ...options })
    const channel = yield* Telegram.channel({ token: tg.token, apiRoot: tg.url, menu: false, ...more })
    return { tg, channel }
  })

/** The first piece of a text. */
export const pieceOf = (channel: Channel, text: string) => {
  const [piece] = channel.render({ text })
  if (piece === undefined) throw new Error("it is no text")
  return piece
}
