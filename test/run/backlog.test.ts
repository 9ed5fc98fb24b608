/** What was not taken yet waits in order, in memory and beyond its limit on disk. */
import { spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Stream } from "effect"
import type { AgentEvent } from "../../src/AgentEvent.ts"
import { makeBacklog } from "../../src/run/backlog.ts"
import { programPath } from "../kit/agent.ts"

const event = (nth: number): AgentEvent => ({ type: "unknown", raw: { nth, text: "ä🎉\n\u2028" } })
const events = (count: number) => Array.from({ length: count }, (_, nth) => event(nth))
const spillFiles = () => readdirSync(tmpdir()).filter((name) => name.startsWith("reins-spill-"))

describe("a backlog", () => {
  it.effect.each([
    ["all in memory", 1_000_000],
    ["some on disk", 50_000],
    ["all on disk", 0]
  ] as const)("gives everything in order: %s", ([_, limit]) =>
    Effect.gen(function* () {
      const backlog = makeBacklog(limit)
      for (const one of events(3_000)) backlog.offer(one, 100)
      backlog.end(Exit.void)
      assert.deepStrictEqual(yield* Stream.runCollect(backlog.events), events(3_000))
      assert.deepStrictEqual(spillFiles(), [])
    })
  )

  it.effect("goes back to memory once the disk was read, and keeps what an event leaves undefined", () =>
    Effect.gen(function* () {
      const backlog = makeBacklog(0)
      const done: AgentEvent = {
        type: "done",
        result: {
          outcome: "completed",
          reason: "completed",
          text: "",
          sessionId: undefined,
          durationMs: 1,
          usage: undefined,
          aborted: false
        }
      }
      const taken: Array<AgentEvent> = []
      const fiber = yield* Stream.runForEach(backlog.events, (one) => Effect.sync(() => taken.push(one))).pipe(
        Effect.forkChild({ startImmediately: true })
      )
      for (const one of [event(1), event(2), done]) {
        backlog.offer(one, 100)
        yield* Effect.yieldNow
      }
      backlog.end(Exit.void)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(taken, [event(1), event(2), done])
    })
  )

  it.effect("tells a defect after what came before it", () =>
    Effect.gen(function* () {
      const backlog = makeBacklog()
      backlog.offer(event(1), 100)
      backlog.end(Exit.die(new Error("bug")))
      const taken: Array<AgentEvent> = []
      const exit = yield* Effect.exit(Stream.runForEach(backlog.events, (one) => Effect.sync(() => taken.push(one))))
      assert.deepStrictEqual(taken, [event(1)])
      assert.isTrue(Exit.hasDies(exit))
    })
  )
})

it("a paused consumer costs neither memory nor an event", async () => {
  const script = fileURLToPath(new URL("hosts/pauses.ts", import.meta.url))
  const program = [programPath("floods-unknown"), "--megabytes=300"]
  const host = spawn(process.execPath, ["--expose-gc", script, ...program], { stdio: ["ignore", "pipe", "inherit"] })
  const { grownMb, mostMb: _, ...told } = JSON.parse(await text(host.stdout))
  assert.deepStrictEqual(told, { order: 300, inOrder: true, outcome: "completed" })
  assert.isBelow(grownMb, 150)
})
