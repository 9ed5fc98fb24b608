/** `opened` of a permit: events wait for it, and no longer than the run may take. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { Permit } from "../../../src/agents/engine/Gate.ts"
import { abortedEnding, endingOf, errorOf, resultOf } from "../../kit/events.ts"
import { init, result, text } from "../../kit/wire.ts"
import { behind, gateOf, goesOn, refusal, refusedEnding, typesOf } from "./behind.ts"

describe("opened", () => {
  it.effect("is awaited before `session` is given, and what follows is held back in order", () => {
    const known = Deferred.makeUnsafe<void>()
    const ids: Array<string> = []
    const opened: Permit["opened"] = (id) =>
      Effect.andThen(
        Effect.sync(() => ids.push(id)),
        Deferred.await(known)
      )
    return behind([gateOf({ opened })], (run) =>
      Effect.gen(function* () {
        yield* run.script.say(init(), text("hi"))
        assert.deepStrictEqual([ids, typesOf(run)], [["session-1"], []])
        yield* run.script.say(result("hi"))
        yield* run.pass("3 seconds")
        assert.isFalse(run.hasEnded())
        yield* Deferred.succeed(known, undefined)
        yield* run.pass(1)
        assert.deepStrictEqual(typesOf(run), ["session", "text", "done"])
        assert.strictEqual(resultOf(run.events).text, "hi")
      })
    )
  })

  it.effect("that fails ends the run, and what was held back is not given", () =>
    behind([gateOf({ opened: () => Effect.andThen(Effect.sleep("1 second"), refusal) })], (run) =>
      Effect.gen(function* () {
        yield* run.script.say(init(), text("hi"), result("hi"))
        yield* run.pass("2 seconds")
        assert.deepStrictEqual(typesOf(run), ["error", "done"])
        assert.deepStrictEqual(endingOf(run.events), refusedEnding)
        assert.strictEqual(resultOf(run.events).text, "")
      })
    )
  )

  it.effect("may not keep a run that is aborted, or one that has failed for longer than 1 s", () => {
    const abort = new AbortController()
    const gates = [gateOf({ opened: () => Effect.never })]
    return Effect.andThen(
      behind(
        gates,
        (run) =>
          Effect.gen(function* () {
            yield* run.script.say(init(), text("hi"), result("hi"))
            abort.abort()
            yield* run.pass(1)
            assert.deepStrictEqual(endingOf(run.events), abortedEnding)
          }),
        { abortSignal: abort.signal }
      ),
      behind(gates, (run) =>
        Effect.gen(function* () {
          yield* run.script.say(init(), text("hi"))
          yield* run.script.exit({ code: 3 })
          assert.isFalse(run.hasEnded())
          yield* run.pass("1 second")
          assert.strictEqual(resultOf(run.events).reason, "exited")
        })
      )
    )
  })
})

describe("a gate that never answers to opened", () => {
  const gates = [gateOf({ opened: () => Effect.never })]

  it.effect("holds up a run that has ended until its total budget at the most", () =>
    behind(
      gates,
      (run) =>
        Effect.gen(function* () {
          yield* goesOn(run)
          yield* run.script.exit({ code: 0 })
          yield* run.pass("59 seconds")
          assert.isFalse(run.hasEnded())
          yield* run.pass("2 seconds")
          assert.strictEqual(resultOf(run.events).outcome, "timed_out")
        }),
      { timeouts: { total: "1 minute" } }
    )
  )

  it.effect("ends the run when more waits than memory should hold", () =>
    behind(gates, (run) =>
      Effect.gen(function* () {
        yield* run.script.say(init())
        const long = "x".repeat(2 ** 20)
        for (let nth = 0; nth < 40; nth++) yield* run.script.say(text(long))
        yield* run.pass(1)
        assert.deepStrictEqual(endingOf(run.events), { ...refusedEnding })
        assert.include(errorOf(run.events)?.message, "Refused by test: more than 64 MiB of events wait for it")
      })
    )
  )
})
