/** Where a configuration keeps conversations → the options by which the store is opened. Reads the URL of a database. */
import { Effect, Redacted } from "effect"
import type { Configuration } from "../../contract/Configuration.ts"
import { ConfigurationError } from "../../contract/ConfigurationError.ts"
import type { StoreKeep } from "../../contract/Sessions.ts"
import { readSecret } from "./secrets.ts"

export type StoreOptions =
  | { readonly directory?: string; readonly keep?: StoreKeep }
  | { readonly postgres: Redacted.Redacted; readonly keep?: StoreKeep }

const url = {
  key: "store.database",
  isRight: (text: string) => /^postgres(?:ql)?:\/\/\S+$/.test(text),
  what: "a URL such as postgres://host/database"
}

/** Fails where the database that is configured has no URL. */
export const storeOptions = Effect.fnUntraced(function* ({ file = "", store }: Configuration) {
  const keep = store?.keep === undefined ? {} : { keep: store.keep }
  const own: StoreOptions = { ...keep, ...(store?.directory === undefined ? {} : { directory: store.directory }) }
  if (store?.database === undefined) return own
  const found = yield* Effect.mapError(
    readSecret(store.database, url),
    (problem) => new ConfigurationError({ file, problems: [{ key: "store.database", problem }] })
  )
  const options: StoreOptions = { ...keep, postgres: Redacted.make(found) }
  return options
})
