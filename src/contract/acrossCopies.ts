/**
 * `instanceof` that holds across copies of this package: its plain doors carry one and its Effect door another, and an
 * application can have two versions. An instance is known by a symbol of all realms, which no JSON of a stranger has.
 */

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
