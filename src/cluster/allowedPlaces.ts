/**
 * Where a home lets turns of others work: in its directories and below, whatever a caller or the database says. A link counts
 * as what it leads to.
 */
import { realpath } from "node:fs/promises"
import { Effect } from "effect"
import { Refused } from "../contract/AgentError.ts"
import { isBelow } from "./chooseHome.ts"

const real = (path: string) => Effect.promise(() => realpath(path).catch(() => path))

const textsOf = (given: unknown): ReadonlyArray<string> =>
  typeof given === "string" ? [given] : Array.isArray(given) ? given.filter((one) => typeof one === "string") : []

/** Fails with `Refused` for a directory that is outside of all. */
export const checkPlaces = Effect.fnUntraced(function* (
  params: Readonly<Record<string, unknown>>,
  directories: ReadonlyArray<string>
) {
  const asked = ["workingDirectory", "additionalDirectories"].flatMap((name) => textsOf(params[name]))
  if (asked.length === 0) return
  const allowed = yield* Effect.forEach(directories, real)
  for (const directory of asked) {
    const place = yield* real(directory)
    if (allowed.some((above) => isBelow(place, above))) continue
    const problem = `its home does not let agents work in ${JSON.stringify(directory.slice(0, 200))}: add it to [directories] of its configuration`
    return yield* new Refused({ gate: "cluster", problem, retryable: false })
  }
})
