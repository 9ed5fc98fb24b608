/** The hooks of a permit: `onUsage`, `settle`, `amend`. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { Gate, Permit } from "../../../src/agents/engine/Gate.ts"
import { type Observer, Observers } from "../../../src/agents/engine/Observer.ts"
import type { Start } from "../../../src/contract/Start.ts"
import { completed, endingOf, noticesOf, resultOf, textOf } from "../../kit/events.ts"
import type { Watched } from "../../kit/watched.ts"
import { init, text } from "../../kit/wire.ts"
import { behind, gateOf, goesOn, refusal, refusedEnding, typesOf } from "./behind.ts"

const usage = (id: string, outputTokens: number) => ({
  type: "assistant",
  message: {
    id,
    content: [{ type: "text", text: "" }],
    usage: { input_tokens: 1, output_tokens: outputTokens }
  },
  parent_tool_use_id: null
})

describe("onUsage", () => {
  it.effect("hears sums, of those that wait the newest; a failure ends the run", () => {
    const sums: Array<number | undefined> = []
    const onUsage: Permit["onUsage"] = ({ usage: { outputTokens = 0 } }) =>
      Effect.andThen(
        Effect.sync(() => sums.push(outputTokens)),
        Effect.andThen(Effect.sleep("1 second"), outputTokens > 10 ? refusal : Effect.void)
      )
    return behind([gateOf({ onUsage })], (run) =>
      Effect.gen(function* () {
        yield* run.script.say(init(), text("hi"), usage("1", 1), usage("2", 2), usage("3", 10))
        const reported = run.events.flatMap((event) => (event.type === "usage" ? [event.usage.outputTokens] : []))
        assert.isAtLeast(reported.length, 2)
        yield* run.pass("1 second")
        assert.deepStrictEqual(sums, [reported[0], reported.at(-1)])
        assert.isFalse(run.hasEnded())
        yield* run.pass("1 second")
        assert.deepStrictEqual(endingOf(run.events), refusedEnding)
        assert.strictEqual(textOf(run.events), "hi")
        assert.deepStrictEqual(run.script.signals, ["SIGTERM"])
      })
    )
  })
})

describe("onUsage of a gate that refuses at once", () => {
  it.effect("is called behind its event: nothing comes after the end", () =>
    behind([gateOf({ onUsage: () => refusal })], (run) =>
      Effect.gen(function* () {
        yield* run.script.say(init(), text("hi"), usage("1", 1), text("more"))
        yield* run.pass("1 second")
        assert.deepStrictEqual(endingOf(run.events), refusedEnding)
        assert.deepStrictEqual(typesOf(run), ["session", "text", "usage", "error", "done"])
      })
    )
  )
})

describe("settle", () => {
  it.effect("comes after its observer has seen all events before the end, also those that were held back", () => {
    const known = Deferred.makeUnsafe<void>()
    const order: Array<string> = []
    const observer: Observer = {
      name: "test",
      begin: () => ({ events: ({ events }) => void order.push(...events.map(({ type }) => type)) })
    }
    const settle: Permit["settle"] = () => Effect.sync(() => void order.push("settled"))
    return behind([gateOf({ opened: () => Deferred.await(known), settle })], (run) =>
      Effect.gen(function* () {
        yield* goesOn(run)
        yield* run.script.exit({ code: 0 })
        yield* Deferred.succeed(known, undefined)
        yield* run.pass(1)
        assert.deepStrictEqual(order, ["session", "text", "settled", "done"])
      })
    ).pipe(Effect.provideService(Observers, [observer]))
  })

  it.effect("is awaited before `done`, with the end", () => {
    const ends: Array<unknown> = []
    const settle: Permit["settle"] = ({ result, failure, hadOutput }) =>
      Effect.andThen(
        Effect.sleep("900 millis"),
        Effect.sync(() => void ends.push([result.text, failure?._tag, hadOutput]))
      )
    return behind([gateOf({ settle })], (run, log) =>
      Effect.gen(function* () {
        yield* goesOn(run)
        yield* run.pass("800 millis")
        assert.deepStrictEqual([ends, typesOf(run)], [[], ["session", "text"]])
        yield* run.pass("200 millis")
        assert.deepStrictEqual(ends, [["hi", undefined, true]])
        assert.deepStrictEqual([typesOf(run), log], [["session", "text", "done"], []])
      })
    )
  })

  it.effect("can give a notice, before `done` and not behind it", () => {
    const gate: Gate = {
      name: "test",
      admit: ({ notice }) => {
        const say = (message: string) => Effect.sync(() => notice({ kind: "info", message }))
        const late = Effect.andThen(Effect.sleep("2 seconds"), say("late"))
        return Effect.succeed({ settle: () => Effect.andThen(say("in time"), late) })
      }
    }
    return behind([gate], (run) =>
      Effect.gen(function* () {
        yield* goesOn(run)
        yield* run.pass("5 seconds")
        assert.deepStrictEqual(typesOf(run), ["session", "text", "notice", "done"])
        assert.deepStrictEqual(
          noticesOf(run.events).map(({ message }) => message),
          ["in time"]
        )
      })
    )
  })

  it.effect("takes 1 s and no more of the caller's time, is named in the log, and goes on", () => {
    const ends: Array<string> = []
    const slow = gateOf({
      settle: () =>
        Effect.andThen(
          Effect.sleep("5 seconds"),
          Effect.sync(() => void ends.push("slow"))
        )
    })
    const broken = gateOf({ settle: () => Effect.die("s3cret") })
    return behind([slow, broken], (run, log) =>
      Effect.gen(function* () {
        yield* goesOn(run)
        yield* run.script.exit({ code: 0 })
        yield* run.pass("1 second")
        assert.isTrue(run.isComplete())
        assert.deepStrictEqual(endingOf(run.events), completed)
        assert.deepStrictEqual([...log].sort(), [
          'the gate "test" failed to settle',
          'the gate "test" takes more than 1 s to settle: the end is emitted without waiting for it'
        ])
        yield* run.pass("4 seconds")
        assert.deepStrictEqual(ends, ["slow"])
      })
    )
  })

  it.effect("is interrupted when the agent is closed, and not before", () => {
    const log: Array<string> = []
    const settle = () =>
      Effect.onInterrupt(Effect.never, () => Effect.sync(() => void log.push("put aside for the next start")))
    const gates = [gateOf({ settle })]
    return Effect.gen(function* () {
      yield* behind(gates, (run) =>
        Effect.gen(function* () {
          yield* goesOn(run)
          yield* run.script.exit({ code: 0 })
          yield* run.pass("1 hour")
          assert.isTrue(run.isComplete())
          assert.deepStrictEqual(log, [])
        })
      )
      assert.deepStrictEqual(log, ["put aside for the next start"])
    })
  })
})

describe("amend", () => {
  it.effect("lowers the budget and never raises it", () => {
    const budgetOf = (run: Watched) => {
      const args = run.script.calls[0]?.args ?? []
      return args.find((arg) => arg.startsWith("--max-budget-usd="))?.split("=")[1]
    }
    const gates = [gateOf({ amend: { maxBudgetUsd: 3 } }), gateOf({ amend: { maxBudgetUsd: 2 } }), gateOf({})]
    const cases = [
      [{}, "2"],
      [{ maxBudgetUsd: 5 }, "2"],
      [{ maxBudgetUsd: 1 }, "1"]
    ] as const
    return Effect.forEach(cases, ([params, expected]) =>
      behind(gates, (run) => Effect.sync(() => assert.strictEqual(budgetOf(run), expected)), params)
    )
  })
})

describe("what a gate is given", () => {
  it.effect("is its own: it neither widens what was allowed nor changes the end", () => {
    const vandal: Gate = {
      name: "vandal",
      admit: ({ params }: Extract<Start, { type: "run" }>) => {
        ;(params.allowedTools as Array<string>).push("Bash") // as JavaScript would
        return Effect.succeed({
          amend: { env: { ONE: "1" } },
          settle: ({ result }) => Effect.sync(() => Object.assign(result, { text: "changed", outcome: "failed" }))
        })
      }
    } as Gate
    return behind(
      [vandal],
      (run) =>
        Effect.gen(function* () {
          yield* goesOn(run)
          yield* run.pass("1 second")
          const args = JSON.stringify(run.script.calls[0]?.args)
          assert.deepStrictEqual([args.includes("Read"), args.includes("Bash")], [true, false])
          assert.deepStrictEqual([endingOf(run.events), resultOf(run.events).text], [completed, "hi"])
        }),
      { allowedTools: ["Read"] }
    )
  })

  it.effect("to say why it waits means nothing once it has decided", () => {
    let say = () => {}
    const gate: Gate = {
      name: "test",
      admit: ({ queued }) => {
        say = () => queued({ problem: "too late" })
        return Effect.succeed({ settle: () => Effect.sync(say) })
      }
    }
    return behind([gate], (run) =>
      Effect.gen(function* () {
        say()
        yield* goesOn(run)
        say()
        assert.deepStrictEqual(noticesOf(run.events), [])
      })
    )
  })
})
