/** How often a person may ask: a bucket each, that fills up again. Of people who are gone, nothing is kept. */

const burst = 120
const perSecond = 6
const mostPeople = 10_000

export const makePace = () => {
  const buckets = new Map<string, { left: number; at: number }>()
  return {
    /** `now`: in ms, by a clock that never goes back. False: too fast. */
    take: (person: string, now: number): boolean => {
      const known = buckets.get(person) ?? { left: burst, at: now }
      const left = Math.min(burst, known.left + ((now - known.at) / 1_000) * perSecond)
      buckets.delete(person)
      buckets.set(person, { left: left < 1 ? left : left - 1, at: now })
      const [oldest] = buckets.keys()
      if (buckets.size > mostPeople && oldest !== undefined) buckets.delete(oldest)
      return left >= 1
    }
  }
}
