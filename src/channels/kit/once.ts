/** The updates heard last, so that what a service delivers again costs no look into the journal. */

const mostIds = 5_000

/** Returns a function that is true for an id it has not had among the last 5,000. */
export const makeOnce = (most = mostIds): ((id: string) => boolean) => {
  const received = new Set<string>()
  return (id) => {
    if (received.has(id)) return false
    received.add(id)
    const [oldest] = received
    if (received.size > most && oldest !== undefined) received.delete(oldest)
    return true
  }
}
