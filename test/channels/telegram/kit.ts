/** A bot of a fake Telegram, as a channel. */
import { Effect, Fiber, Logger, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Channel, Heard } from "../../../src/bridge/messages/Channel.ts"
import type { ChannelError } from "../../../src/bridge/messages/SendError.ts"
import { Telegram } from "../../../src/channels/telegram/Telegram.ts"
import type { TelegramOptions } from "../../../src/channels/telegram/TelegramOptions.ts"
import { TelegramServer } from "../../../src/testing/Scoped.ts"
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
  if (piece === undefined) throw new Error("it is not a text")
  return piece
}

/** Time goes on in steps while it is at work: what comes over the network takes the machine's time. */
export const asTimePasses = <A, E, R>(work: Effect.Effect<A, E, R>, stepMs = 250): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(work)
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust(stepMs)
      for (let turn = 0; turn < 3; turn++)
        yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
    }
    return yield* Fiber.join(fiber)
  })

/** All that is logged, as it would be printed. */
export const overheard = (lines: Array<string>) =>
  Logger.layer([
    Logger.make(({ logLevel, message, cause }) => {
      lines.push(`${logLevel} ${JSON.stringify(message)} ${String(cause)}`)
    })
  ])

/** Waits until a look gives true; what is looked at changes with the network. */
export const untilTrue = (look: () => boolean) =>
  Effect.gen(function* () {
    while (!look()) yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
  })

/** Listens, takes what it hears, and waits for so many. */
export const listenTo = (channel: Channel) =>
  Effect.gen(function* () {
    const received: Array<Heard> = []
    yield* Effect.forkScoped(
      Stream.runForEach(channel.incoming(undefined), (each) => {
        received.push(each)
        return each.confirm
      })
    )
    return {
      heard: received,
      until: (count: number) => untilTrue(() => received.length >= count)
    }
  })

export const textOf = ({ incoming }: Heard) => (incoming._tag === "Message" ? incoming.message.text : incoming._tag)
