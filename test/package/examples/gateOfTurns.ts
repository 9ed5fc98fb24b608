/** A gate: at most two turns at once in this host, whichever sessions they belong to. Here three are asked for. */
import { Effect, Layer, Semaphore, Stream } from "effect"
import { AgentRuntime, type Gate, gatesLayer } from "reins"
import { FakeCli, LiveStep } from "reins/testing"
import { InstalledFake } from "reins/testing/effect"

const places = Semaphore.makeUnsafe(2)
const boundedTurns: Gate = {
  name: "turns of this host",
  concerns: ["turn"],
  admit: ({ queued }) => {
    const say = Effect.sync(() => queued({ problem: "2 turns go on" }))
    const wait = Effect.andThen(say, places.take(1))
    const take = Effect.flatMap(places.takeIfAvailable(1), (isTaken) => (isTaken ? Effect.void : wait))
    const held = Effect.acquireRelease(take, () => places.release(1), { interruptible: true })
    return Effect.as(held, {})
  }
}
const turn = Effect.gen(function* () {
  const session = yield* AgentRuntime.use((agent) => agent.open())
  const events = yield* Stream.runCollect(session.turn("hello"))
  for (const event of events) if (event.type === "notice") console.log(event.message)
}).pipe(Effect.scoped)
const fake = FakeCli.live("claude", [[LiveStep.wait("1 second"), LiveStep.text("Done.")]])
const agent = InstalledFake.layer(fake).pipe(Layer.provide(gatesLayer([boundedTurns])))
await Effect.runPromise(Effect.all([turn, turn, turn], { concurrency: 3 }).pipe(Effect.provide(agent)))
