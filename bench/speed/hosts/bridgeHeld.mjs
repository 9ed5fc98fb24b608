/**
 * The resident memory of many conversations, each held in the middle of its turn; or, where `isBare`, of the same sessions
 * without a bridge. All that the process holds is counted, so what it has loaded, too.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Context, Deferred, Effect, Layer, Stream } from "effect"
import { AgentRuntime } from "../../../dist/index.js"
import { agent, events, people, start, until } from "./bridgeOf.mjs"
import { measure, task } from "./measure.mjs"

setFlagsFromString("--expose-gc")
/** @type {(how: object) => void} */
const collect = runInNewContext("gc")

/** Once V8 has given back what was needed to begin them. */
const residentMb = async () => {
  for (let round = 0; round < 3; round++) {
    collect({ type: "major", execution: "sync", flavor: "last-resort" })
    await sleep(500)
  }
  return process.memoryUsage.rss() / 1e6
}

const bridged = Effect.gen(function* () {
  const { say, seen: known } = yield* start
  for (const person of people) say(person, "hold")
  yield* until(() => known.progress.size >= people.length)
})

const bare = Effect.gen(function* () {
  const runtime = Context.get(yield* Layer.build(agent), AgentRuntime)
  const scope = yield* Effect.scope
  const held = Effect.gen(function* () {
    const session = yield* runtime.open({})
    const isHeld = yield* Deferred.make()
    let input = 0
    const count = () => (++input < events.length ? Effect.void : Deferred.succeed(isHeld, undefined))
    yield* Effect.forkIn(Stream.runForEach(session.turn("hold"), count), scope)
    yield* Deferred.await(isHeld)
  })
  yield* Effect.forEach(people, () => held, { concurrency: "unbounded", discard: true })
})

/** @type {Effect.Effect<void, unknown, import("effect").Scope.Scope>} */
const begun = task.isBare ? bare : bridged

await measure(
  () => Effect.runPromise(Effect.scoped(Effect.andThen(begun, Effect.promise(residentMb)))),
  (heldMb) => ({ heldMb })
)
