/** Slack as a channel of the bridge: one app in one workspace, by Socket Mode. */
import { Deferred, Effect, Option, Ref, type Scope, Stream } from "effect"
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

const help =
  "Take both tokens from https://api.slack.com/apps: OAuth & Permissions (xoxb-), Basic Information, App-Level Tokens (xapp-)."

const meOf = (answer: unknown): Option.Option<Me> =>
  Option.map(readMe(answer), ({ user_id, team_id }) => ({ userId: user_id, teamId: team_id }))

/** Fails if a token is refused. While Slack cannot be reached, `incoming` retries. */
const channel = Effect.fn(...untraced("Slack.channel"))(function* (
  options: SlackOptions
): Effect.fn.Return<Channel, ChannelError, Scope.Scope> {
  const checked = yield* Effect.fromResult(checkSlack(options))
  const { groups, appId: accountId } = checked
  if (accountId === undefined)
    return yield* new ChannelError({
      channel: channelId,
      accountId: "?",
      problem: "appToken does not name its app",
      help: "An app-level token begins with xapp-1-A: https://api.slack.com/apps, Basic Information, App-Level Tokens."
    })
  const ended = yield* Deferred.make<never, ChannelError>()
  const tokenRefused = new ChannelError({ channel: channelId, accountId, problem: "Slack refuses a token", help })
  const client = makeClient(checked, () => Effect.asVoid(Deferred.fail(ended, tokenRefused)))
  const known = yield* Ref.make<Option.Option<Me>>(Option.none())
  let connections: number | undefined
  let listening = 0

  const askMe = client.call("auth.test", {}).pipe(
    Effect.map(meOf),
    Effect.tap((me) => Ref.set(known, me))
  )
  yield* Effect.catch(askMe, (failure) =>
    isTokenRefused(failure)
      ? Effect.fail(tokenRefused)
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

  const incoming: Channel["incoming"] = (mark) =>
    Stream.unwrap(
      Effect.as(
        Effect.acquireRelease(
          Effect.sync(() => listening++),
          () => Effect.sync(() => listening--)
        ),
        listen(
          {
            client,
            accountId,
            groups,
            me,
            ended,
            onHello: (count) => {
              connections = count
            }
          },
          mark
        )
      )
    )

  return {
    id: channelId,
    accountId,
    limits,
    isPerson: isPersonOn.slack,
    incoming,
    render,
    ...makeWrite({ ...checked, accountId, client }),
    acknowledge: makeAcknowledge({ ...checked, client }),
    check: makeCheck({ ...checked, client, probe: Effect.sync(() => (listening > 0 ? connections : undefined)) }),
    download: makeDownload({ ...checked, client, mostBytes: limits.downloadBytes })
  }
})

/** `Slack.channel({ botToken, appToken })`, for `serve` of the bridge. Needs no further package. */
export const Slack = { channel }
