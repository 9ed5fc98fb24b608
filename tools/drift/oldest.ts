// Walks back through releases to the oldest that still passes: in steps that double, then by halves between the last that
// passed and the first that did not. Assumes that what broke stays broken further back. Pure but for `examine`.
import { exitCodeOf, type Outcome } from "./report.ts"

const passes = (outcome: Outcome) => exitCodeOf([outcome]) < 2

/** `releases`: newest first, the one to begin with at the head. Undefined where that one does not pass. */
export const walkBack = async (
  releases: ReadonlyArray<string>,
  examine: (version: string) => Promise<Outcome>
): Promise<Outcome | undefined> => {
  const at = async (index: number) => {
    const version = releases[index]
    return version === undefined ? undefined : examine(version)
  }
  let good = await at(0)
  if (good === undefined || !passes(good)) return undefined
  let [low, high] = [0, releases.length]
  for (let step = 1; low + 1 < high; step *= 2) {
    const next = Math.min(low + step, high - 1)
    const outcome = await at(next)
    if (outcome === undefined || !passes(outcome)) {
      high = next
      break
    }
    good = outcome
    low = next
  }
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2)
    const outcome = await at(middle)
    if (outcome !== undefined && passes(outcome)) {
      good = outcome
      low = middle
    } else {
      high = middle
    }
  }
  return good
}
