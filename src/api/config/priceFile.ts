/** Prices in a file of JSON, with the same owner as the configuration that names it. */
import { Effect, Option } from "effect"
import type { Configuration } from "../../contract/Configuration.ts"
import { ConfigurationError } from "../../contract/ConfigurationError.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { asPrices, priceProblems } from "../../money/prices/checkPrices.ts"
import { readText } from "./file.ts"

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const problemsOf = (value: unknown) =>
  priceProblems(value).map(({ path, problem }) => ({
    problem: harmless(path.length === 0 ? problem : `${path.join(".")} ${problem}`.slice(0, 500))
  }))

/** Prices below `[prices]` take precedence over those of the file. */
export const withPriceFile = Effect.fn(...untraced("PriceFile.withPriceFile"))(function* (
  configuration: Configuration,
  file: string
): Effect.fn.Return<Configuration, ConfigurationError> {
  const failed = (problem: string) => new ConfigurationError({ file, problems: [{ key: "priceFile", problem }] })
  const text = yield* readText(file)
  if (text === undefined) return yield* failed("does not exist: correct priceFile in reins.toml")
  const parsed = parse(text)
  if (Option.isNone(parsed)) return yield* failed("is not JSON")
  const { value } = parsed
  const own = problemsOf(value)
  if (!asPrices(value)) return yield* new ConfigurationError({ file, problems: own })
  const prices = { ...value, ...configuration.prices }
  const problems = problemsOf(prices)
  if (problems.length > 0) return yield* new ConfigurationError({ file: configuration.file ?? file, problems })
  return { ...configuration, prices }
})
