/** `--database`: where the URL of a PostgreSQL server is, on which the store is then, whatever the configuration says. */
import { isAbsolute, resolve } from "node:path"
import { Effect, Option, Result } from "effect"
import type { Configuration } from "../contract/Configuration.ts"
import { ConfigurationError } from "../contract/ConfigurationError.ts"
import { readConfig } from "./configured.ts"

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

/** The store is on that server, whatever the configuration says. */
export const withDatabase = (configuration: Configuration, place: Option.Option<string>): Parsed<Configuration> => {
  if (Option.isNone(place)) return Result.succeed(configuration)
  const { directory: _, ...store } = configuration.store ?? {}
  return Result.map(databasePlace(place.value), (database) => ({
    ...configuration,
    file: configuration.file ?? "--database",
    store: { ...store, database }
  }))
}

export interface StoreFlags {
  readonly config: Option.Option<string>
  readonly database: Option.Option<string>
}

/** The configuration, with the store that a command line names. */
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
