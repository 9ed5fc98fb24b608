/** A bot of a fake Discord, as a channel. */
import { Deferred, Effect, Fiber, Logger, type Scope, Stream } from "effect"
import type { Channel, Heard } from "../../../src/bridge/messages/Channel.ts"
import type { ChannelError } from "../../../src/bridge/messages/SendError.ts"
import { Discord } from "../../../src/channels/discord/Discord.ts"
import type { DiscordOptions } from "../../../src/channels/discord/DiscordOptions.ts"
import type { DiscordServerOptions } from "../../../src/testing/discord/world.ts"
import { DiscordServer } from "../../../src/testing/Scoped.ts"

export const ann = "100000000000001001"
export const bot = "200000000000000001"
/** A channel of a server. */
export const room = "400000000000000001"

export const start = (
  options: DiscordServerOptions = {},
  more: Partial<DiscordOptions> = {}
): Effect.Effect<{ readonly discord: DiscordServer; readonly channel: Channel }, ChannelError, Scope.Scope> =>
  Effect.gen(function* () {
    const discord = yield* DiscordServer.make({ pace: false, ...options })
    const channel = yield* Discord.channel({ token: discord.token, apiRoot: discord.url, menu: false, ...more })
    return { discord, channel }
  })

/** A conversation of the bot. */
export const placeOf = (chatId: string, threadId?: string) => ({
  channel: "discord",
  accountId: bot,
  chatId,
  ...(threadId === undefined ? {} : { threadId })
})

/** The first piece of a text. */
export const pieceOf = (channel: Channel, text: string) => {
  const [piece] = channel.render({ text })
  if (piece === undefined) throw new Error("it is not a text")
  return piece
}

/** Listens, and keeps what it hears; each is confirmed unless `isTaken` says no. Ended by `stop`, as a host that ends. */
export const listenTo = (
  discord: DiscordServer,
  channel: Channel,
  mark?: string,
  isTaken: (text: string) => boolean = () => true
) =>
  Effect.gen(function* () {
    const received: Array<Heard> = []
    const changed: Array<() => void> = []
    const fiber = yield* Effect.forkScoped(
      Stream.runForEach(channel.incoming(mark), (each) => {
        received.push(each)
        for (const wake of changed) wake()
        return isTaken(textOf(each)) ? each.confirm : Effect.void
      })
    )
    const until = (count: number) =>
      Effect.gen(function* () {
        const enough = yield* Deferred.make<void>()
        const look = () => received.length >= count && Deferred.doneUnsafe(enough, Effect.void)
        changed.push(look)
        look()
        yield* Deferred.await(enough)
      })
    return {
      received,
      until,
      fiber,
      stop: Effect.andThen(
        Fiber.interrupt(fiber),
        Effect.promise(() => discord.until(() => discord.listeners() === 0 || undefined))
      )
    }
  })

/** Listening, with a session. */
export const connected = (discord: DiscordServer, count = 1) =>
  Effect.promise(() => discord.until(() => discord.listeners() === count || undefined))

export const textOf = ({ incoming }: Heard): string =>
  incoming._tag === "Message" ? incoming.message.text : incoming._tag

/** All that is logged, as it would be printed. */
export const overheard = (lines: Array<string>) =>
  Logger.layer([
    Logger.make(({ logLevel, message, cause }) => {
      lines.push(`${logLevel} ${JSON.stringify(message)} ${String(cause)}`)
    })
  ])
