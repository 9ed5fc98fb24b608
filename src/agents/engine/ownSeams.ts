/**
 * Gates and observers of one run or live session, its turns included: provided by a module above the engine around a single
 * call (`Effect.provideService`), read in the fiber of the caller, and asked after the agent's own.
 */
import { Context, Effect } from "effect"
import type { Gate } from "./Gate.ts"
import { Gates } from "./Gates.ts"
import { type Observer, Observers } from "./Observer.ts"

export const OwnGates = Context.Reference<ReadonlyArray<Gate>>("reins/OwnGates", { defaultValue: () => [] })
export const OwnObservers = Context.Reference<ReadonlyArray<Observer>>("reins/OwnObservers", { defaultValue: () => [] })

/** True if another caller waits for what an idle live session holds beside its session, such as its conversation. */
export const OwnRequests = Context.Reference<ReadonlyArray<() => boolean>>("reins/OwnRequests", {
  defaultValue: () => []
})

/** The id with which the turn of a live session begins, as gates get it. Undefined: a new one. */
export const OwnTurn = Context.Reference<string | undefined>("reins/OwnTurn", { defaultValue: () => undefined })

/** The trace that the processes of a run or session belong to, as variables that do not override the caller's. */
export const TraceVariables = Context.Reference<Readonly<Record<string, string | undefined>> | undefined>(
  "reins/TraceVariables",
  { defaultValue: () => undefined }
)

/** Keeps those of this fiber for an effect that runs with another context: that of the agent's layer. */
export const keepOwnSeams = Effect.gen(function* () {
  const [gates, observers, requests] = [yield* OwnGates, yield* OwnObservers, yield* OwnRequests]
  return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.provideService(OwnGates, gates),
      Effect.provideService(OwnObservers, observers),
      Effect.provideService(OwnRequests, requests)
    )
})

/** All that are asked, in order. */
export const gatesInOrder = Effect.map(Effect.all([Gates, OwnGates]), ([agent, own]) =>
  own.length === 0 ? agent : [...agent, ...own]
)

/** All that are called, in order. */
export const observersInOrder = Effect.map(Effect.all([Observers, OwnObservers]), ([agent, own]) =>
  own.length === 0 ? agent : [...agent, ...own]
)
