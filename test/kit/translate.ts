/** One line of JSON through the two stages of a decoder. */
import type { Stages } from "../../src/cli/Decoder.ts"

export const translate = <Output>({ stages }: { readonly stages: Stages<Output> }, json: unknown) =>
  stages((wire, step) => step(wire(json), json))
