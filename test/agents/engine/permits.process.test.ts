/** Gates of an application around a run: asked, refusing, released; none of their faults is a crash. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import type { Gate, Permit } from "../../../src/agents/engine/Gate.ts"
import { Gates, gatesLayer } from "../../../src/agents/engine/Gates.ts"
import { claude } from "../../../src/cli/claude/index.ts"
import { AgentFailed, type FailureReason } from "../../../src/contract/AgentError.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import type { Start } from "../../../src/contract/Start.ts"
import { abortedEnding, completed, endingOf, errorOf, noticesOf } from "../../kit/events.ts"
import { scriptedLayer } from "../../kit/scripted.ts"
import { behind, gateOf, goesOn, refusal, refusedEnding } from "./behind.ts"

describe("a gate", () => {
  it.effect("is asked before anything is started, and told what is asked for without secrets", () => {
    const request: Array<Start> = []
    const gate: Gate = {
      name: "test",
      admit: (start) =>
        Effect.sync(() => {
          request.push(start)
          return {}
        })
    }
    const params = { model: "opus", env: { SECRET: "s3cret" }, extraArgs: ["--betas=x"], sessionId: "one" }
    return behind(
      [gate],
      (run) =>
        Effect.gen(function* () {
          yield* goesOn(run)
          const [start] = request
          assert.deepInclude(start, { type: "run", cli: "claude", workingDirectory: process.cwd() })
          assert.isNotEmpty(start?.id)
          assert.deepStrictEqual(start?.type === "run" && start.params, {
            prompt: "hello",
            model: "opus",
            sessionId: "one"
          })
          assert.notInclude(JSON.stringify(request), "s3cret")
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

  // Inputs of a plain caller without TypeScript.
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

describe("gatesLayer", () => {
  const namesOf = (layer: Layer.Layer<never>) =>
    Effect.map(Effect.provide(Gates, layer), (gates) => gates.map(({ name }) => name))
  const mine = { ...gateOf({}), name: "mine" }

  it.effect("adds behind those that are there, or before one of them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* namesOf(gatesLayer([mine])), ["session guard", "start limits", "mine"])
      const before = gatesLayer([mine], { before: "start limits" })
      assert.deepStrictEqual(yield* namesOf(before), ["session guard", "mine", "start limits"])
      const both = gatesLayer([{ ...mine, name: "other" }]).pipe(Layer.provide(gatesLayer([mine])))
      assert.deepStrictEqual(yield* namesOf(both), ["session guard", "start limits", "mine", "other"])
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
