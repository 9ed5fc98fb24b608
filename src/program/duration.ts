/** Parses durations: `90s`, `10m`, `1h30m`, `500ms`, and the forms of Effect, such as `5 minutes`; pure. */
import { Duration, Option } from "effect"

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 }

const compact = /^(?:\d+(?:\.\d+)?(?:ms|s|min|m|h|d))+$/

/** Undefined where the text is not a duration, such as a number without a unit. */
export const parseDuration = (text: string): Duration.Duration | undefined => {
  const trimmed = text.trim().toLowerCase()
  const duration = compact.test(trimmed) ? Duration.millis(sumOfParts(trimmed)) : inWords(text.trim())
  return duration === undefined || Duration.toMillis(duration) < 0 ? undefined : duration
}

const sumOfParts = (text: string) =>
  [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|min|m|h|d)/g)].reduce(
    (sum, [, amount, unit = ""]) => sum + Number(amount) * (unitMs[unit] ?? 0),
    0
  )

const inWords = (text: string) => Option.getOrUndefined(Duration.fromInput(text as Duration.Input))
