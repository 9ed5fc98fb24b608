/** Where a configuration keeps conversations → the options by which the store is opened. Reads the URL of a database. */
import { stat } from "node:fs/promises"
import { Effect, Redacted, Result } from "effect"
import { ConfigurationError } from "../contract/ConfigurationError.ts"
import { codeOf, explain } from "../errors/system.ts"
import { HostEnvironment } from "../process/HostEnvironment.ts"
import { readFlags, readRegular } from "../process/regularFile.ts"
import type { Configuration } from "../types/Configuration.ts"
import type { StoreKeep } from "../types/Sessions.ts"

export type StoreOptions =
  | { readonly directory?: string; readonly keep?: StoreKeep }
  | { readonly postgres: Redacted.Redacted; readonly keep?: StoreKeep }

const mostBytes = 16 * 1024
const othersMayRead = 0o077

/** Readable by the user alone: the URL has a password in it. */
const readUrl = async (path: string): Promise<Result.Result<string, string>> => {
  const info = await stat(path)
  const own = process.getuid?.()
  if (own !== undefined && info.uid !== own && info.uid !== 0) return Result.fail(`belongs to the user ${info.uid}`)
  if (own !== undefined && (info.mode & othersMayRead) !== 0)
    return Result.fail(`can be read by others: chmod 600 ${JSON.stringify(path)}`)
  const reading = await readRegular(path, mostBytes, readFlags.following)
  if (reading._tag !== "Read") return Result.fail("is not a file with a URL in it")
  return Result.succeed(Buffer.from(reading.bytes).toString().trim())
}

const isUrl = (text: string) => /^postgres(?:ql)?:\/\/\S+$/.test(text)

const urlOf = (source: { readonly env: string } | { readonly file: string }) =>
  Effect.gen(function* () {
    if ("env" in source) {
      const value = (yield* HostEnvironment)[source.env]
      if (value === undefined || value === "")
        return yield* Effect.fail(`store.database.env: the variable ${source.env} is not set`)
      return isUrl(value)
        ? value
        : yield* Effect.fail(`store.database.env: ${source.env} is not a URL such as postgres://host/database`)
    }
    const failed = (problem: string) => `store.database.file: ${source.file} ${problem}`
    const url = yield* Effect.tryPromise({
      try: () => readUrl(source.file),
      catch: (cause) => failed(`cannot be read: ${explain(codeOf(cause) ?? "for an unknown reason")}`)
    }).pipe(Effect.flatMap((read) => Effect.fromResult(Result.mapError(read, failed))))
    return isUrl(url) ? url : yield* Effect.fail(failed("has no URL such as postgres://host/database"))
  })

/** Fails where the database that is configured has no URL. */
export const storeOptions = Effect.fnUntraced(function* ({ file = "", store }: Configuration) {
  const keep = store?.keep === undefined ? {} : { keep: store.keep }
  const own: StoreOptions = { ...keep, ...(store?.directory === undefined ? {} : { directory: store.directory }) }
  if (store?.database === undefined) return own
  const url = yield* Effect.mapError(
    urlOf(store.database),
    (problem) => new ConfigurationError({ file, problems: [{ key: "store.database", problem }] })
  )
  const options: StoreOptions = { ...keep, postgres: Redacted.make(url) }
  return options
})
