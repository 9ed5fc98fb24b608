/** `proof` compiles only if the type that it is given is `true`. */
export type { Flat, Same } from "../../../src/contract/schemaOf.ts"

export const proof = <_ extends true>(): void => {}
