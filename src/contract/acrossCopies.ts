/**
 * Copies of this package in one process, of two doors or versions: `instanceof` holds across them, and state of the host exists
 * once. Loaded in the page as well, so without modules of Node.
 */

interface Class {
  readonly name: string
  readonly prototype: object
}

/** Marks the instances by a symbol of all realms, not in JSON. A class that extends `type` has only its own ones. */
export const acrossCopies = (type: Class, name: string): void => {
  const mark = Symbol.for(`reins/${name}`)
  Object.defineProperty(type.prototype, mark, { value: true })
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      if (this !== type) return Function.prototype[Symbol.hasInstance].call(this, value)
      return typeof value === "object" && value !== null && mark in value
    }
  })
}

/**
 * State that a host has once, on `globalThis`: plain data and functions, for each copy has its own classes and Effect.
 * `name` ends in the number of the value's shape: versions that differ in it do not share.
 */
export const hostWide = <A>(name: `${string}@${number}`, make: () => A): A => {
  const key = Symbol.for(`reins/${name}`)
  const known = Object.getOwnPropertyDescriptor(globalThis, key)
  if (known !== undefined) return known.value as A // made here, or by a copy with the same shape
  const value = make()
  Object.defineProperty(globalThis, key, { value })
  return value
}
