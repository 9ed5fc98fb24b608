/**
 * `instanceof` that holds across copies of this package: its plain doors carry one and its Effect door another, and an
 * application can have two versions. An instance is known by a symbol of all realms, which no JSON of a stranger has.
 */

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

interface Class {
  readonly name: string
  readonly prototype: object
}

/** `name` tells the classes of this package apart. A class that extends one of them has instances of its own alone. */
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
