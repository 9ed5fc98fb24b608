/** Of an account that machines share, one serves; the others wait for it to fall free. */
import { Effect } from "effect"
import { AccountPatience } from "../../bridge/journal/account.ts"
import type { Channel } from "../../bridge/messages/Channel.ts"
import type { ServeError } from "../../bridge/ServeError.ts"
import { harmless } from "../../contract/text/harmless.ts"

/** Cut off from the database for longer, a machine leaves the account to the others, and waits for it again. */
const patience = "10 seconds"
const pause = "5 seconds"

/** Fails for what a wait does not mend. Each reason to wait is told once. */
export const inTurn = <A, R>(
  { id, accountId }: Pick<Channel, "id" | "accountId">,
  serve: Effect.Effect<A, ServeError, R>
): Effect.Effect<A, ServeError, R> => {
  const account = `${harmless(id)} (${harmless(accountId)})`
  let told = ""
  /** It has been served here, or by another machine: a store that is away then comes back. */
  let isKnown = false
  const wait = ({ message }: { readonly message: string }) =>
    Effect.suspend(() => {
      isKnown = true
      const isTold = told === message
      told = message
      const telling = isTold ? Effect.void : Effect.logInfo(`${account} waits for its turn on this machine: ${message}`)
      return Effect.andThen(telling, Effect.sleep(pause))
    })
  const again: Effect.Effect<A, ServeError, R> = Effect.suspend(() =>
    Effect.catchTags(serve, {
      ChannelTaken: (error) => Effect.andThen(wait(error), again),
      ChannelLost: (error) => Effect.andThen(wait(error), again),
      StoreError: (error) => (isKnown ? Effect.andThen(wait(error), again) : Effect.fail(error))
    })
  )
  return Effect.provideService(again, AccountPatience, patience)
}
