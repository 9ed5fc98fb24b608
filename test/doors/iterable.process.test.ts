/** The iterators of the plain door over a backlog, and over any other stream: each event once, in order, and an end. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema, Stream } from "effect"
import { makeBacklog } from "../../src/agents/engine/backlog.ts"
import { iterable } from "../../src/api/promise/iterable.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"

type Events = Stream.Stream<AgentEvent>

const event = (nth: number): AgentEvent => ({ type: "unknown", raw: nth })
const numberOf = (one: AgentEvent) => (one.type === "unknown" ? one.raw : undefined)

/** The events of a backlog with room for two in memory, in a stream that is opened and closed. */
const opened = (change: (events: Events) => Events) => {
  const backlog = makeBacklog(200)
  const count = { opened: 0, closed: 0 }
  const open = Effect.acquireRelease(
    Effect.sync(() => {
      count.opened += 1
      return change(backlog.events)
    }),
    () =>
      Effect.map(Effect.yieldNow, () => {
        count.closed += 1
      })
  )
  return { backlog, stream: Stream.unwrap(open), count }
}

/** Everything that can continue without a further event continues. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

const resultOf = async (next: Promise<IteratorResult<AgentEvent>> | undefined): Promise<unknown> => {
  try {
    const result = await next
    return result === undefined || result.done === true ? "over" : numberOf(result.value)
  } catch (error) {
    return String(error)
  }
}

const Step = Schema.Literals(["offer", "offer two", "pull", "pull two", "turn"])
const Last = Schema.Literals(["end", "defect", "return", "throw"])

const numbers = (count: number): ReadonlyArray<unknown> => Array.from({ length: count }, (_, nth) => nth)
const overs = (count: number): ReadonlyArray<unknown> => Array.from({ length: count }, () => "over")

describe.each([
  ["a backlog", (events: Events) => events],
  ["another stream", (events: Events) => Stream.map(events, (one) => one)]
] as const)("an iterator over %s", (_, change) => {
  it.effect.prop(
    "gives each event once and in order, and ends, whatever the order of offers, pulls and ends",
    [Schema.Array(Step), Last, Schema.Array(Step)],
    ([before, last, after]) =>
      Effect.promise(async () => {
        const { backlog, stream, count } = opened(change)
        const iterator = iterable(stream)[Symbol.asyncIterator]()
        const pulls: Array<Promise<unknown>> = []
        let offered = 0
        const pull = (times: number) => {
          for (; times > 0; times--) pulls.push(resultOf(iterator.next()))
        }
        const offer = (times: number) => {
          for (; times > 0; times--) backlog.offer(event(offered++), 100)
        }
        const go = async (steps: ReadonlyArray<typeof Step.Type>) => {
          for (const step of steps) {
            if (step === "turn") await turn()
            else if (step.startsWith("offer")) offer(step === "offer" ? 1 : 2)
            else pull(step === "pull" ? 1 : 2)
          }
        }
        await go(before)
        const [pulled, inTime] = [pulls.length, offered]
        if (last === "end") backlog.end(Exit.void)
        if (last === "defect") backlog.end(Exit.die(new Error("bug")))
        const isLeft = last === "return" || last === "throw"
        if (isLeft) {
          const left = last === "return" ? iterator.return?.() : iterator.throw?.(new Error("mine"))
          assert.strictEqual(await resultOf(left), last === "return" ? "over" : "Error: mine")
          assert.strictEqual(count.closed, count.opened, "it is closed when that returns")
        }
        await go(after)
        pull(offered + 2)
        const results = await Promise.all(pulls)
        const input = isLeft ? results.filter((one) => typeof one === "number").length : inTime
        assert.isAtMost(input, isLeft ? Math.min(pulled, inTime) : inTime)
        const error = last === "defect" ? ["Error: bug"] : []
        const ends = overs(results.length - input - error.length)
        assert.deepStrictEqual(results, [...numbers(input), ...error, ...ends])
        assert.strictEqual(count.closed, count.opened)
        assert.strictEqual(count.opened, isLeft && pulled === 0 ? 0 : 1)
      })
  )

  it.effect.prop(
    "calls back with the same, without a reader",
    [Schema.Array(Step), Schema.Boolean],
    ([steps, isDefect]) =>
      Effect.promise(async () => {
        const { backlog, stream, count } = opened(change)
        const read: Array<unknown> = []
        const reading = Stream.runForEachArray(stream, (several) =>
          Effect.sync(() => read.push(...several.map(numberOf)))
        )
        const over = Effect.runPromiseExit(reading)
        let offered = 0
        for (const step of steps) {
          if (step.startsWith("offer")) backlog.offer(event(offered++), 100)
          else await turn()
        }
        backlog.end(isDefect ? Exit.die(new Error("bug")) : Exit.void)
        assert.strictEqual(Exit.hasDies(await over), isDefect)
        assert.deepStrictEqual(read, numbers(offered))
        assert.deepStrictEqual(count, { opened: 1, closed: 1 })
      })
  )
})
