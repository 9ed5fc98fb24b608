/**
 * Several copies of this package in one process: its plain doors carry one and its Effect door another, and an application
 * can have two versions. `instanceof` holds across them, and state of the host exists once.
 */

interface Class {
  readonly name: string
  readonly prototype: object
}

/**
 * Marks the instances of a class by a symbol of all realms, which JSON of others cannot contain. `name` tells the classes of
 * this package apart. A class that extends one of them has only its own instances.
 */
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
 * State that a host has once, kept on `globalThis`: plain data and functions, for each copy has its own classes and its own
 * Effect. `name` ends in the number of the value's shape: versions that differ in it do not share, and misread nothing.
 */
export const hostWide = <A>(name: `${string}@${number}`, make: () => A): A => {
  const key = Symbol.for(`reins/${name}`)
  const known = Object.getOwnPropertyDescriptor(globalThis, key)
  if (known !== undefined) return known.value as A // made here, or by a copy with the same shape
  const value = make()
  Object.defineProperty(globalThis, key, { value })
  return value
}
