/** Pending events wait in order, in memory and beyond its limit on disk. */
import { spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Stream } from "effect"
import { type Backlog, makeBacklog } from "../../../src/agents/engine/backlog.ts"
import { readAll } from "../../../src/agents/engine/pipeline.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { openSpill } from "../../../src/system/process/spill.ts"
import { programPath } from "../../kit/agent.ts"
import { openFilesIn, ownTmpdir } from "../../kit/files.ts"
import { settled } from "../../kit/scripted.ts"

const event = (nth: number): AgentEvent => ({ type: "unknown", raw: { nth, text: "ä🎉\n\u2028" } })
const events = (count: number) => Array.from({ length: count }, (_, nth) => event(nth))

/** A disk that refuses some of the writes, counted from 0 over all of its files. */
const diskThat = (refuses: (nth: number) => boolean) => {
  let writes = 0
  return () => {
    const spill = openSpill()
    const write = (line: string) => {
      writes += 1
      if (refuses(writes - 1)) throw new Error("ENOSPC")
      spill.write(line)
    }
    return { ...spill, write }
  }
}

/** Size of a batch for a waiting consumer. */
const slicesOf = (backlog: Backlog) => {
  const slices: Array<number> = []
  const take = (slice: ReadonlyArray<AgentEvent>) => Effect.sync(() => slices.push(slice.length))
  return Effect.as(Effect.forkChild(Stream.runForEachArray(backlog.events, take), { startImmediately: true }), slices)
}

const noDisk = () => {
  throw new Error("EACCES")
}

/** Everything, where one of `late` comes each time that one is taken, and then the end. */
const takeAll = (backlog: Backlog, late: ReadonlyArray<AgentEvent>) => {
  const coming = [...late]
  const more = Effect.sync(() => {
    const next = coming.shift()
    if (next === undefined) backlog.end(Exit.void)
    else backlog.offer(next, 100)
  })
  return backlog.events.pipe(
    Stream.tap(() => more),
    Stream.runCollect
  )
}

describe("a backlog", () => {
  it.effect("has a line nested 100,000 deep on disk, too, and all that follows it", () =>
    Effect.gen(function* () {
      const output: Array<unknown> = []
      const disk = () => {
        const spill = openSpill()
        return {
          ...spill,
          write: (line: string) => {
            output.push(line.length)
            spill.write(line)
          }
        }
      }
      const backlog = makeBacklog(0, disk)
      const push = (raw: unknown): ReadonlyArray<AgentEvent> => [{ type: "unknown", raw }]
      const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
      const lines = new TextEncoder().encode(`{"first":1}\n${deep}\n{"next":1}\n{"last":1}\n`)
      const reported = readAll<AgentEvent>((use) => use((json) => json, push), [lines])
      for (const one of reported) backlog.offer(one, 100)
      backlog.end(Exit.void)
      assert.lengthOf(output, reported.length - 1)
      assert.deepStrictEqual(yield* Stream.runCollect(backlog.events), reported)
      assert.deepStrictEqual(reported.slice(-2), [...push({ next: 1 }), ...push({ last: 1 })])
    })
  )

  it.effect.each([
    ["all in memory", 1_000_000, 0],
    ["some on disk", 50_000, 1],
    ["all on disk", 0, 1]
  ] as const)("gives everything in order: %s", ([_, limit, files]) =>
    Effect.gen(function* () {
      const directory = yield* ownTmpdir
      const backlog = makeBacklog(limit)
      for (const one of events(3_000)) backlog.offer(one, 100)
      backlog.end(Exit.void)
      assert.deepStrictEqual(readdirSync(directory), [])
      assert.strictEqual(openFilesIn(directory).length, files)
      assert.deepStrictEqual(yield* Stream.runCollect(backlog.events), events(3_000))
      assert.deepStrictEqual(openFilesIn(directory), [])
    })
  )

  it.effect("keeps nothing once it is closed, in memory or on disk", () =>
    Effect.gen(function* () {
      const directory = yield* ownTmpdir
      const backlog = makeBacklog(50_000)
      const offer = () => {
        for (const one of events(3_000)) backlog.offer(one, 100)
      }
      offer()
      backlog.close()
      offer()
      assert.deepStrictEqual(openFilesIn(directory), [])
      backlog.end(Exit.void)
      assert.deepStrictEqual(yield* Stream.runCollect(backlog.events), [])
    })
  )

  it.effect("wakes its consumer once for what is offered at once", () =>
    Effect.gen(function* () {
      const backlog = makeBacklog()
      const slices = yield* slicesOf(backlog)
      yield* settled
      for (const one of events(3)) backlog.offer(one, 100)
      assert.deepStrictEqual(slices, [])
      yield* settled
      for (const one of events(2)) backlog.offer(one, 100)
      yield* settled
      assert.deepStrictEqual(slices, [3, 2])
    })
  )

  it.effect("gives what is on disk before what comes when there is room in memory again", () =>
    Effect.gen(function* () {
      const backlog = makeBacklog(200)
      for (const one of events(4)) backlog.offer(one, 100)
      assert.deepStrictEqual(yield* takeAll(backlog, [event(4)]), events(5))
    })
  )

  it.effect.each([
    ["from the first write on", diskThat(() => true)],
    ["from the third write on", diskThat((nth) => nth >= 2)],
    ["for a while", diskThat((nth) => nth >= 2 && nth < 5)],
    ["so that no file can be made", noDisk]
  ] as const)("gives everything in order although the disk is full: %s", ([_, open]) =>
    Effect.gen(function* () {
      const backlog = makeBacklog(200, open)
      for (const one of events(10)) backlog.offer(one, 100)
      assert.deepStrictEqual(yield* takeAll(backlog, events(50).slice(10)), events(50))
    })
  )

  it.effect("goes back to memory once the disk was read", () =>
    Effect.gen(function* () {
      const backlog = makeBacklog(100)
      const [one, two, last] = [event(1), event(2), event(3)]
      backlog.offer(one, 100)
      backlog.offer(two, 100)
      const taken: Array<AgentEvent> = []
      const consumer = yield* Stream.runForEach(backlog.events, (one) => Effect.sync(() => taken.push(one))).pipe(
        Effect.forkChild
      )
      yield* settled
      assert.deepStrictEqual(taken, [one, two])
      assert.notStrictEqual(taken[1], two, "it was on disk")
      backlog.offer(last, 100)
      backlog.end(Exit.void)
      yield* Fiber.join(consumer)
      assert.strictEqual(taken[2], last, "it was not")
    })
  )

  it.effect("keeps on disk what an event leaves undefined", () =>
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
      backlog.offer(event(1), 100)
      backlog.offer(done, 100)
      backlog.end(Exit.void)
      const taken = yield* Stream.runCollect(backlog.events)
      assert.deepStrictEqual(taken, [event(1), done])
      assert.notStrictEqual(taken[1], done, "it was on disk")
    })
  )

  it.effect("keeps off the disk what is taken next, however large it is", () =>
    Effect.gen(function* () {
      const large = event(1)
      const backlog = makeBacklog(10, () => assert.fail("nothing need wait on disk"))
      backlog.offer(large, 1_000)
      backlog.end(Exit.void)
      const taken = yield* Stream.runCollect(backlog.events)
      assert.strictEqual(taken[0], large)
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
  const { grownMb, mostMb: _, ...reported } = JSON.parse(await text(host.stdout))
  assert.deepStrictEqual(reported, { order: 300, inOrder: true, outcome: "completed" })
  assert.isBelow(grownMb, 150)
})
