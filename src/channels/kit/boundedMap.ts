/** A map that keeps what was set last. */
export const boundedMap = <A>(most: number) => {
  const map = new Map<string, A>()
  return {
    get: (key: string): A | undefined => map.get(key),
    has: (key: string): boolean => map.has(key),
    set: (key: string, value: A): void => {
      map.delete(key)
      map.set(key, value)
      const [oldest] = map.keys()
      if (map.size > most && oldest !== undefined) map.delete(oldest)
    }
  }
}
export type BoundedMap<A> = ReturnType<typeof boundedMap<A>>
