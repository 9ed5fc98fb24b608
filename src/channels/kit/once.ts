/** The updates heard last, so that what a service delivers again costs no look into the journal. */
import { boundedMap } from "./boundedMap.ts"

const mostIds = 5_000

/** Returns a function that is true for an id it has not had among the last 5,000. */
export const makeOnce = (most = mostIds): ((id: string) => boolean) => {
  const received = boundedMap<true>(most)
  return (id) => {
    if (received.has(id)) return false
    received.set(id, true)
    return true
  }
}
