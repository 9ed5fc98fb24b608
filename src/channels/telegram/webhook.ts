/** A webhook of a bot: it takes the updates, so that no poll gets any. */
import { Effect, Option, type Scope } from "effect"
import type { ChannelError } from "../../bridge/messages/SendError.ts"
import { makeClients } from "./calls/client.ts"
import { checkTelegram } from "./checkOptions.ts"
import { readHook } from "./incoming/wire.ts"
import type { TelegramOptions } from "./TelegramOptions.ts"

/** Where it is, of the answer of Telegram: its path can be a secret. Undefined: there is none. */
export const hookPlace = (answer: unknown): string | undefined => {
  const url = Option.getOrUndefined(readHook(answer))?.url ?? ""
  return url === "" ? undefined : (URL.parse(url)?.host ?? "an address")
}

/**
 * Gives where the webhook was that is gone now; undefined: there was none, or it could not be removed, which a check tells.
 * What waits at Telegram is kept. Fails where the options are wrong, or grammY is not installed.
 */
export const removeWebhook = Effect.fnUntraced(function* (
  options: TelegramOptions
): Effect.fn.Return<string | undefined, ChannelError, Scope.Scope> {
  const checked = yield* Effect.fromResult(checkTelegram(options))
  const { call } = (yield* makeClients(checked, Effect.void)).calls
  return yield* Effect.gen(function* () {
    const place = hookPlace(yield* call("getWebhookInfo", {}))
    if (place !== undefined) yield* call("deleteWebhook", { drop_pending_updates: false })
    return place
  }).pipe(Effect.orElseSucceed(() => undefined))
})
