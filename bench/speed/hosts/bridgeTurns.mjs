/**
 * Turns of many conversations at once, each shown while it lasts and answered; or, where `isBare`, the same turns of the
 * same agent without a bridge. A first round is not measured.
 */
import { Context, Effect, Layer, Stream } from "effect"
import { AgentRuntime } from "../../../dist/index.js"
import { agent, events, people, start, until } from "./bridgeOf.mjs"
import { measure, task } from "./measure.mjs"

const bridged = Effect.gen(function* () {
  const { say, seen: known } = yield* start
  return Effect.suspend(() => {
    const answers = known.answers + people.length
    for (const person of people) say(person, "go on")
    return until(() => known.answers >= answers)
  })
})

const bare = Effect.gen(function* () {
  const runtime = Context.get(yield* Layer.build(agent), AgentRuntime)
  const sessions = yield* Effect.forEach(people, () => runtime.open({}))
  return Effect.forEach(sessions, (session) => Stream.runDrain(session.turn("go on")), {
    concurrency: "unbounded",
    discard: true
  })
})

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const round = yield* task.isBare ? bare : bridged
      yield* round
      yield* Effect.promise(() =>
        measure(
          () => Effect.runPromise(Effect.repeat(round, { times: task.rounds - 1 })),
          () => ({ events: events.length * people.length * task.rounds })
        )
      )
    })
  )
)
