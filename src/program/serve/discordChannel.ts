/** The bot of Discord for `reins serve`. */
import type { Effect, Scope } from "effect"
import type { ChannelSettings } from "../../api/config/secrets.ts"
import type { Channel } from "../../bridge/messages/Channel.ts"
import type { ChannelError } from "../../bridge/messages/SendError.ts"
import { Discord } from "../../channels/discord/Discord.ts"

/** Without groups, nothing that is written in a server is heard. */
export const open = ({
  token,
  apiRoot,
  groups = {},
  content
}: ChannelSettings<"discord">): Effect.Effect<Channel, ChannelError, Scope.Scope> =>
  Discord.channel({ token, apiRoot, groups, content })
