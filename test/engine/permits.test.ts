/** Gates of an application around a run: when each member of a permit is heard, and that none of their faults is a crash. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer } from "effect"
import { AgentRuntime } from "../../src/AgentRuntime.ts"
import { claude } from "../../src/cli/claude/index.ts"
import { AgentFailed, type FailureReason, Refused } from "../../src/contract/AgentError.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import type { Start } from "../../src/contract/Start.ts"
import type { Gate, Permit } from "../../src/engine/Gate.ts"
import { Gates, gatesLayer } from "../../src/engine/Gates.ts"
import {
  abortedEnding,
  completed,
  endingOf,
  errorOf,
  noticesOf,
  type RunEnding,
  resultOf,
  textOf
} from "../kit/events.ts"
import { scriptedLayer } from "../kit/scripted.ts"
import { type Watched, watchedWithLog } from "../kit/watched.ts"
import { init, result, text } from "../kit/wire.ts"

const gateOf = (permit: Permit, concerns: Gate["concerns"] = ["run", "session", "turn"]): Gate => ({
  name: "test",
  concerns,
  admit: () => Effect.succeed(permit)
})

const refusal = new Refused({ gate: "test", problem: "not today", retryable: true })
const refusedEnding: RunEnding = {
  outcome: "failed",
  reason: "refused",
  aborted: false,
  category: "other",
  code: "refused"
}

/** A run of the scripted process behind these gates alone, and what is told to the log. */
const behind = <E>(
  gates: ReadonlyArray<Gate>,
  test: (run: Watched, log: ReadonlyArray<string>) => Effect.Effect<void, E>,
  params: Parameters<typeof watchedWithLog>[1] = {}
) => watchedWithLog(test, params).pipe(Effect.provideService(Gates, gates))

const typesOf = (run: Watched) => run.events.map(({ type }) => type)
const goesOn = ({ script }: Watched) => script.say(init(), text("hi"), result("hi"))

describe("a gate", () => {
  it.effect("is asked before anything is started, and told what is asked for without secrets", () => {
    const asked: Array<Start> = []
    const gate: Gate = {
      name: "test",
      admit: (start) =>
        Effect.sync(() => {
          asked.push(start)
          return {}
        })
    }
    const params = { model: "opus", env: { SECRET: "s3cret" }, extraArgs: ["--betas=x"], sessionId: "one" }
    return behind(
      [gate],
      (run) =>
        Effect.gen(function* () {
          yield* goesOn(run)
          const [start] = asked
          assert.deepInclude(start, { type: "run", cli: "claude", workingDirectory: process.cwd() })
          assert.isNotEmpty(start?.id)
          assert.deepStrictEqual(start?.type === "run" && start.params, {
            prompt: "hello",
            model: "opus",
            sessionId: "one"
          })
          assert.notInclude(JSON.stringify(asked), "s3cret")
        }),
      params
    )
  })

  it.effect("that waits says for what and for whom; the caller may leave, and nothing is started", () => {
    const abort = new AbortController()
    const log: Array<string> = []
    const gate: Gate = {
      name: "test",
      admit: (start) =>
        Effect.gen(function* () {
          yield* Effect.addFinalizer(() => Effect.sync(() => log.push("released")))
          start.queued({ problem: "another host has it", data: { holder: { pid: 7 } } })
          return yield* Effect.never
        })
    }
    return behind(
      [gate],
      (run, warnings) =>
        Effect.gen(function* () {
          const [notice] = noticesOf(run.events)
          assert.deepInclude(notice, { kind: "queued", message: "The start waits: another host has it" })
          assert.deepStrictEqual(notice?.data, { holder: { pid: 7 } })
          yield* run.pass("1 hour")
          assert.deepStrictEqual(log, [])
          abort.abort()
          yield* run.pass(1)
          assert.deepStrictEqual(endingOf(run.events), abortedEnding)
          assert.deepStrictEqual([log, run.script.calls, warnings], [["released"], [], []])
        }),
      { abortSignal: abort.signal }
    )
  })

  it.effect("refuses with its reason, and those before it are released", () => {
    const log: Array<string> = []
    const first: Gate = {
      name: "first",
      admit: () =>
        Effect.gen(function* () {
          yield* Effect.addFinalizer(() => Effect.sync(() => log.push("released")))
          return { settle: () => Effect.sync(() => void log.push("settled")) }
        })
    }
    return behind([first, { name: "test", admit: () => refusal }], (run) =>
      Effect.sync(() => {
        assert.deepStrictEqual(endingOf(run.events), refusedEnding)
        assert.deepInclude(errorOf(run.events), { message: "Refused by test: not today", retryable: true })
        assert.deepStrictEqual([log, run.script.calls], [["released"], []])
      })
    )
  })

  // What a plain caller could hand in without TypeScript.
  const noEffect = "later" as unknown as Effect.Effect<never>
  const faults: Readonly<Record<string, Gate["admit"]>> = {
    throws: () => {
      throw new Error("s3cret")
    },
    dies: () => Effect.die("s3cret"),
    "gives no effect": () => noEffect,
    "interrupts itself": () => Effect.interrupt,
    "fails with something else": () => Effect.fail(new Error("s3cret") as unknown as FailureReason),
    "gives a permit that throws": () => Effect.succeed({ starting: Effect.die("s3cret") })
  }
  it.effect.each(Object.entries(faults))("that %s refuses: the log says how, the message does not", ([, admit]) =>
    behind([{ name: "test", admit }], (run, log) =>
      Effect.sync(() => {
        assert.deepStrictEqual(endingOf(run.events), refusedEnding)
        assert.strictEqual(errorOf(run.events).message, "Refused by test: the gate itself failed; see the log")
        assert.deepStrictEqual([log, run.script.calls], [['the gate "test" failed'], []])
      })
    )
  )

  it.effect("is released when nothing of the run is left; one that fails then does not hurt", () => {
    const log: Array<string> = []
    const gate: Gate = {
      name: "test",
      admit: () =>
        Effect.as(
          Effect.addFinalizer(() =>
            Effect.andThen(
              Effect.sync(() => log.push("released")),
              Effect.die("s3cret")
            )
          ),
          {}
        )
    }
    return behind([gate], (run, warnings) =>
      Effect.gen(function* () {
        yield* goesOn(run)
        assert.isTrue(run.hasEnded())
        assert.deepStrictEqual(log, [])
        yield* run.script.exit({ code: 0 })
        yield* run.pass("1 second")
        assert.deepStrictEqual(log, ["released"])
        assert.deepStrictEqual(warnings, ['the gate "test" failed while it was released'])
        assert.deepStrictEqual(endingOf(run.events), completed)
      })
    )
  })
})

describe("starting", () => {
  it.effect("is awaited before the spawn, in the order of the gates", () => {
    const may = Deferred.makeUnsafe<void>()
    const log: Array<string> = []
    const first = gateOf({
      starting: Effect.andThen(
        Deferred.await(may),
        Effect.sync(() => void log.push("first"))
      )
    })
    const second = gateOf({ starting: Effect.sync(() => void log.push("second")) })
    return behind([first, second], (run) =>
      Effect.gen(function* () {
        yield* run.pass("1 minute")
        assert.deepStrictEqual([log, run.script.calls], [[], []])
        yield* Deferred.succeed(may, undefined)
        yield* goesOn(run)
        assert.deepStrictEqual(log, ["first", "second"])
        assert.lengthOf(run.script.calls, 1)
        assert.deepStrictEqual(endingOf(run.events), completed)
      })
    )
  })

  it.effect("that fails spawns nothing; what was let in settles", () => {
    const ends: Array<string> = []
    const settle: Permit["settle"] = ({ result }) => Effect.sync(() => void ends.push(result.reason))
    return behind([gateOf({ starting: refusal, settle })], (run) =>
      Effect.sync(() => {
        assert.deepStrictEqual(endingOf(run.events), refusedEnding)
        assert.deepStrictEqual([ends, run.script.calls], [["refused"], []])
      })
    )
  })
})

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
        const told = run.events.flatMap((event) => (event.type === "usage" ? [event.usage.outputTokens] : []))
        assert.isAtLeast(told.length, 2)
        yield* run.pass("1 second")
        assert.deepStrictEqual(sums, [told[0], told.at(-1)])
        assert.isFalse(run.hasEnded())
        yield* run.pass("1 second")
        assert.deepStrictEqual(endingOf(run.events), refusedEnding)
        assert.strictEqual(textOf(run.events), "hi")
        assert.deepStrictEqual(run.script.signals, ["SIGTERM"])
      })
    )
  })
})

describe("settle", () => {
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

describe("gatesLayer", () => {
  const namesOf = (layer: Layer.Layer<never>) =>
    Effect.map(Effect.provide(Gates, layer), (gates) => gates.map(({ name }) => name))
  const mine = { ...gateOf({}), name: "mine" }

  it.effect("adds behind those that are there, or before one of them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* namesOf(gatesLayer([mine])), ["session order", "start limits", "mine"])
      const before = gatesLayer([mine], { before: "start limits" })
      assert.deepStrictEqual(yield* namesOf(before), ["session order", "mine", "start limits"])
      const both = gatesLayer([{ ...mine, name: "other" }]).pipe(Layer.provide(gatesLayer([mine])))
      assert.deepStrictEqual(yield* namesOf(both), ["session order", "start limits", "mine", "other"])
    })
  )

  it.effect("provided to the layer of an agent holds for its runs", () =>
    Effect.gen(function* () {
      const options: AgentOptions = {}
      const layer = scriptedLayer(options, claude).pipe(
        Layer.provide(
          gatesLayer([
            { name: "test", admit: () => new AgentFailed({ code: "x", category: "billing", detail: "no money" }) }
          ])
        )
      )
      const exit = yield* AgentRuntime.use((agent) => agent.run({ prompt: "hello" })).pipe(
        Effect.exit,
        Effect.provide(layer)
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.include(JSON.stringify(exit), "no money")
    })
  )
})
