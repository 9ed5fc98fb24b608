/** The updates heard last, so that what a service delivers again costs no look into the journal. */

const mostIds = 5_000

/** Returns a function that is true for an id it has not had among the last 5,000. */
export const makeOnce = (most = mostIds): ((id: string) => boolean) => {
  const heard = new Set<string>()
  return (id) => {
    if (heard.has(id)) return false
    heard.add(id)
    const [oldest] = heard
    if (heard.size > most && oldest !== undefined) heard.delete(oldest)
    return true
  }
}
