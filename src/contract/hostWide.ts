/**
 * What a host has once, also where it loads several copies of this package, as the doors for Effect and for promises are:
 * kept on `globalThis`. It is plain data and functions, for each copy has its own classes, and its own Effect.
 */

/** `name` ends in the number of the value's shape: versions that differ in it do not share, and misread nothing. */
export const hostWide = <A>(name: `${string}@${number}`, make: () => A): A => {
  const key = Symbol.for(`reins/${name}`)
  const known = Object.getOwnPropertyDescriptor(globalThis, key)
  if (known !== undefined) return known.value as A // made here, or by a copy with the same shape
  const value = make()
  Object.defineProperty(globalThis, key, { value })
  return value
}
