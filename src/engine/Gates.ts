/** Which gates an agent asks, and how an application adds its own. */
import { Context, Effect, Layer } from "effect"
import type { Gate } from "./Gate.ts"
import { makeSessionOrder } from "./sessionOrder.ts"
import { makeStartLimits } from "./startLimits.ts"

/**
 * The gates of an agent, asked in this order. Default, one of each for the whole process: `session order`, so that no two
 * runs write to one session, and `start limits` for the agent's `limits`.
 */
export const Gates = Context.Reference<ReadonlyArray<Gate>>("reins/Gates", {
  defaultValue: () => defaultGates(() => process.availableMemory())
})

export const defaultGates = (availableMemory: () => number): ReadonlyArray<Gate> => [
  makeSessionOrder(),
  makeStartLimits(availableMemory)
]

/**
 * Adds gates to those that are there: behind them, or before the one that is named (`session order`, `start limits`).
 * Provide it to the layer of an agent, or to a part of the program: `Claude.layer().pipe(Layer.provide(gatesLayer([…])))`.
 * To take the defaults away, provide `Gates` itself.
 */
export const gatesLayer = (
  gates: ReadonlyArray<Gate>,
  { before }: { readonly before?: string } = {}
): Layer.Layer<never> =>
  Layer.effect(
    Gates,
    Effect.map(Gates, (present) => {
      const place = present.findIndex(({ name }) => name === before)
      return present.toSpliced(place === -1 ? present.length : place, 0, ...gates)
    })
  )
