/** `--database`, which says where the URL of the PostgreSQL server is that has the store; and failures of the store. */
import { isAbsolute, resolve } from "node:path"
import { Effect, Option, Result } from "effect"
import type { Configuration } from "../contract/Configuration.ts"
import { ConfigurationError } from "../contract/ConfigurationError.ts"
import type { StoreError } from "../contract/StoreError.ts"
import { readConfig } from "./configured.ts"
import { badUsage, type Ended, failWith, sessionBusy } from "./exit.ts"
import { inFlags } from "./flagNames.ts"

type Parsed<A> = Result.Result<A, string>

/** `env:NAME` of a variable, or `file:PATH`: a URL on a command line could be read by others. */
export const databasePlace = (place: string): Parsed<NonNullable<NonNullable<Configuration["store"]>["database"]>> => {
  const [, kind, name = ""] = /^(env|file):(.+)$/s.exec(place) ?? []
  if (kind === "env" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return Result.succeed({ env: name })
  if (kind === "file") return Result.succeed({ file: isAbsolute(name) ? name : resolve(name) })
  return Result.fail(
    "--database: is env:NAME, a variable that has the URL, or file:PATH, a file that you alone can read: on a command line others could read it"
  )
}

export const withDatabase = (configuration: Configuration, place: Option.Option<string>): Parsed<Configuration> => {
  if (Option.isNone(place)) return Result.succeed(configuration)
  const { directory: _, ...store } = configuration.store ?? {}
  return Result.map(databasePlace(place.value), (database) => ({
    ...configuration,
    file: configuration.file ?? "--database",
    store: { ...store, database }
  }))
}

/** The configuration with the store of `--database`; fails with a sentence. */
export const readWithDatabase = ({ config, database }: StoreFlags): Effect.Effect<Configuration, string> =>
  Effect.mapError(readConfig(config), ({ message }) => message).pipe(
    Effect.flatMap((configuration) => Effect.fromResult(withDatabase(configuration, database)))
  )

export interface StoreFlags {
  readonly config: Option.Option<string>
  readonly database: Option.Option<string>
}

const codeOf = ({ reason }: StoreError): number => {
  if (reason._tag === "SessionBusy") return sessionBusy
  return reason._tag === "InvalidParams" ? badUsage : 1
}

const helpOf = ({ reason, help }: StoreError): string =>
  reason._tag === "AmbiguousSession" ? "Give more of the id, or the whole one." : inFlags(help)

/** Errors of the store and the configuration → a message, in the words of the flags, and an exit code. */
export const printingFailures = <A, R>(
  work: Effect.Effect<A, StoreError | ConfigurationError | Ended, R>
): Effect.Effect<A, Ended, R> =>
  Effect.catchTag(work, ["StoreError", "ConfigurationError"], (error) =>
    error._tag === "StoreError"
      ? failWith(`${inFlags(error.message)}\n${helpOf(error)}`, codeOf(error))
      : failWith(error.message, 1)
  )

export const readStoreConfig = ({ config, database }: StoreFlags): Effect.Effect<Configuration, ConfigurationError> =>
  Effect.flatMap(readConfig(config), (configuration) =>
    Effect.mapError(
      Effect.fromResult(withDatabase(configuration, database)),
      (problem) =>
        new ConfigurationError({
          file: "--database",
          problems: [{ key: "--database", problem: problem.replace(/^--database: /, "") }]
        })
    )
  )
