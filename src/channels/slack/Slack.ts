/** Slack as a channel of the bridge: one app of a workspace, by Socket Mode, so that it needs no public address. */
import { Deferred, Effect, Option, Ref, type Scope } from "effect"
import type { Channel } from "../../bridge/messages/Channel.ts"
import { ChannelError } from "../../bridge/messages/SendError.ts"
import { isPersonOn } from "../../contract/peopleOfChannels.ts"
import { untraced } from "../../contract/untraced.ts"
import { makeClient } from "./calls/client.ts"
import { isTokenRefused } from "./calls/failure.ts"
import { makeCheck } from "./check.ts"
import { makeDownload } from "./incoming/download.ts"
import { listen } from "./incoming/listen.ts"
import { type Me, readMe } from "./incoming/wire.ts"
import { limits, render } from "./outgoing/render.ts"
import { makeAcknowledge, makeWrite } from "./outgoing/write.ts"
import { channelId, checkSlack, type SlackOptions } from "./SlackOptions.ts"

/** Fails if the bot's token is refused. While Slack cannot be reached, `incoming` retries. */
const channel = Effect.fn(...untraced("Slack.channel"))(function* (
  options: SlackOptions
): Effect.fn.Return<Channel, ChannelError, Scope.Scope> {
  const checked = yield* Effect.fromResult(checkSlack(options))
  const { accountId, botToken, groups, isListed } = checked
  const ended = yield* Deferred.make<never, ChannelError>()
  const refused = (of: "bot" | "app") =>
    new ChannelError({
      channel: channelId,
      accountId,
      problem: of === "bot" ? "Slack refuses the bot's token" : "Slack refuses the app-level token",
      help: "Take the app's present tokens (https://api.slack.com/apps: OAuth & Permissions, and Basic Information), and start again."
    })
  const client = makeClient({ ...checked, onRefused: (of) => Effect.asVoid(Deferred.fail(ended, refused(of))) })
  const known = yield* Ref.make<Option.Option<Me>>(Option.none())
  let sockets = 0

  const askMe = client.call("auth.test").pipe(
    Effect.map(({ json }) => readMe(json)),
    Effect.tap((me) => Ref.set(known, me))
  )
  yield* Effect.catch(askMe, (failure) =>
    isTokenRefused(failure)
      ? Effect.fail(refused("bot"))
      : Effect.logWarning("Slack cannot be reached yet; it is tried again and again")
  )

  const me: Effect.Effect<Me, ChannelError> = Effect.gen(function* () {
    for (let waitMs = 200; ; waitMs = Math.min(waitMs * 2, 30_000)) {
      const found = yield* Ref.get(known)
      if (Option.isSome(found)) return found.value
      yield* Effect.ignore(askMe)
      if (Option.isNone(yield* Ref.get(known))) yield* Effect.raceFirst(Effect.sleep(waitMs), Deferred.await(ended))
    }
  })

  return {
    id: channelId,
    accountId,
    limits,
    isPerson: isPersonOn.slack,
    incoming: (mark) =>
      listen(
        {
          client,
          accountId,
          groups,
          isListed,
          me,
          ended,
          onSocket: (change) => {
            sockets += change
          },
          verify: Effect.ignore(client.call("auth.test"))
        },
        mark
      ),
    render,
    ...makeWrite({ accountId, client, knownMe: Effect.map(Ref.get(known), Option.getOrUndefined) }),
    acknowledge: makeAcknowledge(client),
    check: makeCheck({ client, groups, isListening: () => sockets > 0 }),
    download: makeDownload({ client, botToken, mostBytes: limits.downloadBytes })
  }
})

/** `Slack.channel({ botToken, appToken })`, for `serve` of the bridge. */
export const Slack = { channel }
