/** The user's configuration, `reins.toml`; never read from a working directory, whose files may be anyone's. */
import { Effect, Result, Schema } from "effect"
import type { Configuration, ConfigurationOptions } from "../contract/Configuration.ts"
import { ConfigurationError } from "../contract/ConfigurationError.ts"
import { makeParser } from "../contract/checkInput.ts"
import { untraced } from "../contract/untraced.ts"
import { findHome } from "../system/locks/stateDirectory.ts"
import { findDefaultFile, findFile, type ReadFile, readFile, strangersFile } from "./config/file.ts"

const parse = makeParser(Schema.Struct({ file: Schema.optional(Schema.NonEmptyString) }), "options")

/** Loads the parser only if there is a file. */
const checked = Effect.fn(...untraced("Configuration.checked"))(function* (
  file: string,
  { text, isPrivate }: ReadFile
) {
  const { checkText } = yield* Effect.promise(() => import("./config/check.ts"))
  const home = yield* findHome
  const configuration = yield* Effect.fromResult(
    Result.mapError(
      checkText({ file, text, isPrivate, home }),
      (problems) => new ConfigurationError({ file, problems })
    )
  )
  if (configuration.priceFile === undefined) return configuration
  const { withPriceFile } = yield* Effect.promise(() => import("./config/priceFile.ts"))
  return yield* withPriceFile(configuration, configuration.priceFile)
})

/**
 * Reads `reins/reins.toml` in the user's directory for configuration (`$XDG_CONFIG_HOME`, else the platform's place, such
 * as `~/.config`), or the file that is named. Without a file, or a home, nothing is configured. A file that others can have written,
 * an unknown key or an invalid value is an error, and nothing of the file is in effect. Invalid options are a defect
 * (`TypeError`).
 */
export const readConfiguration = Effect.fn(...untraced("Configuration.readConfiguration"))(function* (
  options: ConfigurationOptions = {}
) {
  const parsed = parse(options)
  if (Result.isFailure(parsed)) return yield* Effect.die(new TypeError(`readConfiguration: ${parsed.failure.message}`))
  const { file: named } = parsed.success
  const file = yield* named === undefined ? findDefaultFile : findFile(named)
  if (file === undefined) return { agents: {}, directories: {} }
  const read = yield* readFile(file)
  if (read === undefined && named !== undefined)
    return yield* new ConfigurationError({ file, problems: [{ problem: "does not exist" }] })
  const ignored = yield* strangersFile(file)
  const found: Configuration = read === undefined ? { agents: {}, directories: {} } : yield* checked(file, read)
  return ignored === undefined ? found : { ...found, ignored }
}) as (options?: ConfigurationOptions) => Effect.Effect<Configuration, ConfigurationError> // the same, with an optional parameter
