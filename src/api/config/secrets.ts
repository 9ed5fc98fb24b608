/**
 * Secrets that `reins.toml` names but does not contain: a URL with a password, a token. They are in an environment
 * variable, or in a file that only the user can read. A failure names the place, and never the content.
 */
import { Effect, Predicate, Redacted, Result } from "effect"
import type { Configuration, ConfiguredSecret } from "../../contract/Configuration.ts"
import { ConfigurationError } from "../../contract/ConfigurationError.ts"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { present } from "../../contract/present.ts"
import type { StoreKeep } from "../../contract/Sessions.ts"
import { untraced } from "../../contract/untraced.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"
import { type ChannelId, type ChannelKind, channels, webhookSecret } from "./channels.ts"

type SecretPlace = { readonly env: string } | { readonly file: string }

interface SecretKey {
  /** Name of the key, such as `store.database`. */
  readonly key: string
  readonly isRight: (text: string) => boolean
  /** A description of a valid one, such as `a URL such as postgres://host/database`. */
  readonly what: string
}

const mostBytes = 16 * 1024
const othersMayDoAnything = 0o077n

/** Returns the text without the line break at its end. Owner and mode are those of the file that is read, not of its name. */
const readPrivate = async (path: string): Promise<Result.Result<string, string>> => {
  const reading = await readRegular(path, mostBytes, readFlags.following)
  if (reading._tag !== "Read") return Result.fail("is not a regular file of 16 KiB at most")
  const { bytes, info } = reading
  const own = process.getuid?.()
  if (own !== undefined && info.uid !== BigInt(own) && info.uid !== 0n)
    return Result.fail(`belongs to the user ${info.uid}`)
  if (own !== undefined && (info.mode & othersMayDoAnything) !== 0n)
    return Result.fail(`can be read by others: chmod 600 ${JSON.stringify(path)}`)
  return Result.succeed(Buffer.from(bytes).toString().trim())
}

const readSecret = (place: SecretPlace, { key, isRight, what }: SecretKey): Effect.Effect<string, string> =>
  Effect.gen(function* () {
    if ("env" in place) {
      const value = (yield* HostEnvironment)[place.env]?.trim()
      if (value === undefined || value === "")
        return yield* Effect.fail(`${key}.env: the variable ${place.env} is not set`)
      return isRight(value) ? value : yield* Effect.fail(`${key}.env: ${place.env} is not ${what}`)
    }
    const failed = (problem: string) => `${key}.file: ${place.file} ${problem}`
    const text = yield* Effect.tryPromise({
      try: () => readPrivate(place.file),
      catch: (cause) => failed(`cannot be read: ${explain(codeOf(cause) ?? "for an unknown reason")}`)
    }).pipe(Effect.flatMap((read) => Effect.fromResult(Result.mapError(read, failed))))
    return isRight(text) ? text : yield* Effect.fail(failed(`has no ${what.replace(/^an? /, "")}`))
  })

type StoreOptions =
  | { readonly directory?: string; readonly keep?: StoreKeep }
  | { readonly postgres: Redacted.Redacted; readonly keep?: StoreKeep }

const url = {
  key: "store.database",
  isRight: (text: string) => /^postgres(?:ql)?:\/\/\S+$/.test(text),
  what: "a URL such as postgres://host/database"
}

/** The options by which the configured store is opened. Fails if its database has no URL. */
export const storeOptions = Effect.fn(...untraced("Secrets.storeOptions"))(function* ({
  file = "",
  store
}: Configuration): Effect.fn.Return<StoreOptions, ConfigurationError> {
  const keep = present({ keep: store?.keep })
  if (store?.database === undefined) return { ...keep, ...present({ directory: store?.directory }) }
  const found = yield* Effect.mapError(
    readSecret(store.database, url),
    (problem) => new ConfigurationError({ file, problems: [{ key: "store.database", problem }] })
  )
  return { ...keep, postgres: Redacted.make(found) }
})

/** The table of a channel with its secrets in place of where they are. */
type WithSecrets<Table> = {
  readonly [Key in keyof Table]: [ConfiguredSecret] extends [Table[Key]] ? Redacted.Redacted : Table[Key]
}

/** The table of a channel, as its code gets it. */
export type ChannelSettings<Id extends ChannelId> = WithSecrets<NonNullable<Configuration[Id]>>

/** Fails with a sentence that never contains a secret. */
export const readChannel = <Table extends object>(
  { id, secrets }: ChannelKind,
  table: Table
): Effect.Effect<WithSecrets<Table>, string> =>
  Effect.map(
    Effect.forEach(secrets, ({ key, isRight, what }) => {
      // The file was checked by the same row.
      const place = (table as Readonly<Record<string, unknown>>)[key] as ConfiguredSecret
      const secret =
        typeof place === "string" ? Effect.succeed(place) : readSecret(place, { key: `${id}.${key}`, isRight, what })
      return Effect.map(secret, (text) => [key, Redacted.make(text)] as const)
    }),
    (found) => ({ ...table, ...Object.fromEntries(found) }) as WithSecrets<Table>
  )

/** The secrets of all webhooks, by their names. Fails with a sentence that never contains one. */
export const readWebhookSecrets = ({
  webhooks = {}
}: Pick<Configuration, "webhooks">): Effect.Effect<ReadonlyMap<string, Redacted.Redacted>, string> =>
  Effect.map(
    Effect.forEach(Object.entries(webhooks), ([name, { secret: place }]) => {
      const { isRight, what } = webhookSecret
      const key = `webhooks.${name}.secret`
      const secret = typeof place === "string" ? Effect.succeed(place) : readSecret(place, { key, isRight, what })
      return Effect.map(secret, (text) => [name, Redacted.make(text)] as const)
    }),
    (found) => new Map(found)
  )

/** Variables for `reins serve` alone: no agent gets them. */
export const ownVariables = (configuration: Configuration): ReadonlyArray<string> => {
  const ofChannels = channels.flatMap(({ id, secrets }) => {
    const table: Readonly<Record<string, unknown>> = { ...configuration[id] }
    return secrets.map(({ key }) => table[key])
  })
  const ofWebhooks = Object.values(configuration.webhooks ?? {}).map(({ secret }) => secret)
  return [configuration.store?.database, ...ofChannels, ...ofWebhooks].flatMap((place) =>
    Predicate.hasProperty(place, "env") && typeof place.env === "string" ? [place.env] : []
  )
}
