/**
 * Secrets that `reins.toml` names but does not contain: a URL with a password, a token. They are in an environment
 * variable, or in a file that only the user can read. A failure names the place, and never the content.
 */
import { stat } from "node:fs/promises"
import { Effect, Result } from "effect"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"

export type SecretPlace = { readonly env: string } | { readonly file: string }

export interface SecretKey {
  /** Such as `store.database`. */
  readonly key: string
  readonly isRight: (text: string) => boolean
  /** A description of a valid one, such as `a URL such as postgres://host/database`. */
  readonly what: string
}

const mostBytes = 16 * 1024
const othersMayDoAnything = 0o077

/** Without the line break at its end. */
const readPrivate = async (path: string): Promise<Result.Result<string, string>> => {
  const info = await stat(path)
  const own = process.getuid?.()
  if (own !== undefined && info.uid !== own && info.uid !== 0) return Result.fail(`belongs to the user ${info.uid}`)
  if (own !== undefined && (info.mode & othersMayDoAnything) !== 0)
    return Result.fail(`can be read by others: chmod 600 ${JSON.stringify(path)}`)
  const reading = await readRegular(path, mostBytes, readFlags.following)
  if (reading._tag !== "Read") return Result.fail("is not a regular file of 16 KiB at most")
  return Result.succeed(Buffer.from(reading.bytes).toString().trim())
}

/** Fails with a sentence. */
export const readSecret = (place: SecretPlace, { key, isRight, what }: SecretKey): Effect.Effect<string, string> =>
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
