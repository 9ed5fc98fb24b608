/** The Telegram part of `reins.toml` → the token, from its place, and the lists of people. */
import { Effect, Redacted } from "effect"
import type { Configuration, ConfiguredTelegram } from "../../contract/Configuration.ts"
import { aToken, isToken } from "./forms.ts"
import { readSecret } from "./secrets.ts"

export interface TelegramBot extends Pick<ConfiguredTelegram, "apiRoot" | "groups"> {
  readonly token: Redacted.Redacted
}

/** Returns undefined without a bot. Fails with a sentence that never contains the token. */
export const readBot = ({
  telegram
}: Pick<Configuration, "telegram">): Effect.Effect<TelegramBot | undefined, string> => {
  if (telegram === undefined) return Effect.succeed(undefined)
  const { token, apiRoot, groups } = telegram
  const read =
    typeof token === "string"
      ? Effect.succeed(token)
      : readSecret(token, { key: "telegram.token", isRight: isToken, what: aToken })
  return Effect.map(read, (found) => ({
    token: Redacted.make(found),
    ...(apiRoot === undefined ? {} : { apiRoot }),
    ...(groups === undefined ? {} : { groups })
  }))
}

/** Variables that are of `reins serve` alone: no agent gets them. */
export const ownVariables = ({ store, telegram }: Configuration): ReadonlyArray<string> =>
  [store?.database, telegram?.token].flatMap((place) =>
    typeof place === "object" && "env" in place ? [place.env] : []
  )
