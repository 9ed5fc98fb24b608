/** Compares types. `proof` compiles only where what it is given is true. */

/** `true` for identical types, else an object that shows both. */
export type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : { readonly differ: [A, B] }

/** The members of a type, whether they are its own or inherited. */
export type Flat<A> = { [Name in keyof A]: A[Name] }

export const proof = <_ extends true>(): void => {}
