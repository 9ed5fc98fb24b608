/** Telegram as a channel of the bridge: one bot, by its token. */
import { Deferred, Effect, Option, Ref, type Scope, Stream } from "effect"
import { commandsFor } from "../../bridge/commands/command.ts"
import type { Channel } from "../../bridge/messages/Channel.ts"
import { ChannelError } from "../../bridge/messages/SendError.ts"
import { isPersonOn } from "../../contract/peopleOfChannels.ts"
import { untraced } from "../../contract/untraced.ts"
import { type Client, makeClients } from "./calls/client.ts"
import { isTokenRefused } from "./calls/failure.ts"
import { makeCheck } from "./check.ts"
import { makeDownload } from "./incoming/download.ts"
import { poll } from "./incoming/poll.ts"
import { type Me, readMe } from "./incoming/wire.ts"
import { limits, render } from "./outgoing/render.ts"
import { makeAcknowledge, makeChats, makeHaste, makeWrite } from "./outgoing/write.ts"
import { channelId, checkTelegram, type TelegramOptions } from "./TelegramOptions.ts"

/** Puts the bridge's commands into the menu of the chat. A failure is ignored. */
const offerMenu = ({ call }: Pick<Client, "call">): Effect.Effect<void> =>
  call("setMyCommands", {
    commands: commandsFor("owner").map(({ name, does }) => ({ command: name, description: does }))
  }).pipe(
    Effect.catch((failure) =>
      Effect.logDebug("the menu of commands could not be set", {
        reason: failure._tag === "Refused" ? failure.description : failure._tag
      })
    )
  )

const help =
  "Take the bot's present token from BotFather (https://t.me/BotFather, /mybots, API Token), and start again."

/**
 * Fails if the token is refused or grammY is not installed. While Telegram cannot be reached, `incoming` retries. Holds
 * connections until the scope closes.
 */
const channel = Effect.fn(...untraced("Telegram.channel"))(function* (
  options: TelegramOptions
): Effect.fn.Return<Channel, ChannelError, Scope.Scope> {
  const checked = yield* Effect.fromResult(checkTelegram(options))
  const { token, accountId, apiRoot, groups, menu } = checked
  const ended = yield* Deferred.make<never, ChannelError>()
  const tokenRefused = new ChannelError({ channel: channelId, accountId, problem: "Telegram refuses the token", help })
  const clients = yield* makeClients(checked, Effect.asVoid(Deferred.fail(ended, tokenRefused)))
  const { calls, polls } = clients
  const [chats, haste] = [makeChats(), makeHaste()]
  const known = yield* Ref.make<Option.Option<Me>>(Option.none())
  let listening = 0

  const askMe = calls.call("getMe", {}).pipe(
    Effect.map(readMe),
    Effect.tap((me) => Ref.set(known, me))
  )
  yield* Effect.catch(askMe, (failure) =>
    isTokenRefused(failure)
      ? Effect.fail(tokenRefused)
      : Effect.logWarning("Telegram cannot be reached yet; it is tried again and again")
  )

  const me: Effect.Effect<Me, ChannelError> = Effect.gen(function* () {
    for (let waitMs = 200; ; waitMs = Math.min(waitMs * 2, 30_000)) {
      const found = yield* Ref.get(known)
      if (Option.isSome(found)) return found.value
      yield* Effect.ignore(askMe)
      if (Option.isNone(yield* Ref.get(known))) yield* Effect.raceFirst(Effect.sleep(waitMs), Deferred.await(ended))
    }
  })

  const incoming: Channel["incoming"] = (mark) =>
    Stream.unwrap(
      Effect.gen(function* () {
        yield* Effect.acquireRelease(
          Effect.sync(() => listening++),
          () => Effect.sync(() => listening--)
        )
        if (menu) yield* Effect.forkScoped(offerMenu(calls))
        return poll({ client: polls, me, ended, onHeard: chats.hear }, mark)
      })
    )

  return {
    id: channelId,
    accountId,
    limits,
    isPerson: isPersonOn.telegram,
    incoming,
    render,
    ...makeWrite({ accountId, clients, chats, haste }),
    acknowledge: makeAcknowledge(calls),
    check: makeCheck({ client: calls, groups, apiRoot, isListening: () => listening > 0 }),
    download: makeDownload({ client: calls, apiRoot, token, mostBytes: limits.downloadBytes })
  }
})

/** `Telegram.channel({ token })`, for `serve` of the bridge. Needs the package `grammy`. */
export const Telegram = { channel }
