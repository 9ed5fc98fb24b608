/** A map of what was set last: what is older than so many entries is forgotten. */

export interface BoundedMap<A> {
  readonly get: (key: string) => A | undefined
  readonly has: (key: string) => boolean
  readonly set: (key: string, value: A) => void
  readonly delete: (key: string) => void
}

export const boundedMap = <A>(most: number): BoundedMap<A> => {
  const map = new Map<string, A>()
  return {
    get: (key) => map.get(key),
    has: (key) => map.has(key),
    set: (key, value) => {
      map.delete(key)
      map.set(key, value)
      const [oldest] = map.keys()
      if (map.size > most && oldest !== undefined) map.delete(oldest)
    },
    delete: (key) => void map.delete(key)
  }
}
