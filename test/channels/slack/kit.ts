/** An app of a fake Slack, as a channel. */
import { Effect, type Scope } from "effect"
import type { Channel } from "../../../src/bridge/messages/Channel.ts"
import type { ChannelError } from "../../../src/bridge/messages/SendError.ts"
import { Slack } from "../../../src/channels/slack/Slack.ts"
import type { SlackOptions } from "../../../src/channels/slack/SlackOptions.ts"
import { SlackServer } from "../../../src/testing/Scoped.ts"
import type { SlackServerOptions } from "../../../src/testing/slack/world.ts"

export const ann = "U1001"
/** Her direct chat. */
export const direct = "D1001"
export const place = { channel: "slack", accountId: "A0TESTAPP", chatId: direct }

export const start = (
  options: SlackServerOptions = {},
  more: Partial<SlackOptions> = {}
): Effect.Effect<{ readonly slack: SlackServer; readonly channel: Channel }, ChannelError, Scope.Scope> =>
  Effect.gen(function* () {
    const slack = yield* SlackServer.make({ pace: false, ...options })
    slack.open(direct)
    return { slack, channel: yield* channelOf(slack, more) }
  })

export const channelOf = (slack: SlackServer, more: Partial<SlackOptions> = {}) =>
  Slack.channel({ botToken: slack.token, appToken: slack.appToken, apiRoot: slack.url, ...more })
