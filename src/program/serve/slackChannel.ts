/** The app of Slack for `reins serve`. */
import type { Effect, Scope } from "effect"
import type { ChannelSettings } from "../../api/config/secrets.ts"
import type { Channel } from "../../bridge/messages/Channel.ts"
import type { ChannelError } from "../../bridge/messages/SendError.ts"
import { Slack } from "../../channels/slack/Slack.ts"

export const open = ({
  botToken,
  appToken,
  apiRoot,
  groups = {}
}: ChannelSettings<"slack">): Effect.Effect<Channel, ChannelError, Scope.Scope> =>
  Slack.channel({ botToken, appToken, apiRoot, groups })
