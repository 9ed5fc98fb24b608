/** grammY, which only this channel needs: loaded when one is made. */
import { Effect, Predicate } from "effect"
import { ChannelError } from "../../../bridge/messages/SendError.ts"
import { channelId } from "../checkOptions.ts"

const isMissing = (thrown: unknown) => Predicate.hasProperty(thrown, "code") && thrown.code === "ERR_MODULE_NOT_FOUND"

export const loadGrammy = (accountId: string): Effect.Effect<typeof import("grammy"), ChannelError> =>
  Effect.tryPromise({
    try: () => import("grammy"),
    catch: (thrown) =>
      new ChannelError({
        channel: channelId,
        accountId,
        problem: isMissing(thrown)
          ? "the package grammy, which Telegram needs, is not installed"
          : "the package grammy, which Telegram needs, cannot be loaded",
        help: "Run `npm install grammy` where this package is installed (with --global, where it is installed globally)."
      })
  })
