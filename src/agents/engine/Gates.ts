/** The gates of an agent, and the layer with which an application adds its own. */
import { Context, Effect, Layer } from "effect"
import { hostWide } from "../../contract/hostWide.ts"
import type { Gate } from "./Gate.ts"
import { makeSessionGuard } from "./sessionGuard.ts"
import { makeStartLimits } from "./startLimits.ts"
import { newQueue } from "./startQueue.ts"

/**
 * The gates of an agent, in the order in which they are asked. Default, shared by the whole process: `session guard`, so
 * that no two runs of this user write to the same session, and `start limits` for the agent's `limits`.
 */
export const Gates = Context.Reference<ReadonlyArray<Gate>>("reins/Gates", {
  defaultValue: () => [
    makeSessionGuard(hostWide("session-order@1", newQueue)),
    makeStartLimits(() => process.availableMemory(), hostWide("start-limits@1", newQueue))
  ]
})

/** Those of another process, for tests. */
export const defaultGates = (availableMemory: () => number): ReadonlyArray<Gate> => [
  makeSessionGuard(),
  makeStartLimits(availableMemory)
]

/**
 * Adds gates after the present ones, or before the one named by `before` (`session guard`, `start limits`). Provide it to
 * the layer of an agent, or to a part of the program: `AgentRuntime.layer(cli).pipe(Layer.provide(gatesLayer([…])))`. To
 * remove the defaults, provide `Gates` itself.
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
