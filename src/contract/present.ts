/** Optional members of objects: left out without a value, rather than undefined. */

/** Leaves out members that are undefined, which the cast says. */
export const present = <A extends object>(members: A): { [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof A]?: Exclude<A[K], undefined>
  }
