/** A drawn step depends on the seed and its number only, can be printed, and makes sense. */
import { assert, describe, it } from "vitest"
import { clis } from "../../../src/agents/Agents.ts"
import { optionsOf, paramsOf } from "../../../tools/chaos/asking.ts"
import { makeDice } from "../../../tools/chaos/dice.ts"
import { drawScenario } from "../../../tools/chaos/draw.ts"
import type { Room } from "../../../tools/chaos/room.ts"
import type { Scenario } from "../../../tools/chaos/scenario.ts"

const steps = Array.from({ length: 500 }, (_, index) => index + 1)
const scenarios = steps.map((step) => drawScenario(7, step))
const room: Room = { mark: crypto.randomUUID(), root: "/r", work: "/r/work", home: "/r/home", temp: "/r/temp" }

/** All values that a property of the scenarios has, by name. */
const valuesOf = (read: (scenario: Scenario) => ReadonlyArray<string | undefined>) =>
  [...new Set(scenarios.flatMap(read))].filter((value) => value !== undefined).sort()

describe("a scenario", () => {
  it("is the same for the same seed and step, whatever was drawn before", () => {
    for (const step of [400, 3, 77]) assert.deepStrictEqual(drawScenario(7, step), scenarios[step - 1])
  })

  it("is another one for another step or seed", () => {
    assert.strictEqual(new Set(scenarios.map((scenario) => JSON.stringify(scenario))).size, scenarios.length)
    assert.notDeepEqual(drawScenario(8, 1), drawScenario(7, 1))
  })

  it("survives being printed", () => {
    for (const scenario of scenarios) assert.deepStrictEqual(JSON.parse(JSON.stringify(scenario)), scenario)
  })

  it("has, over many steps, all there is", () => {
    assert.deepStrictEqual(
      valuesOf(({ cli }) => [cli]),
      Object.keys(clis).sort()
    )
    assert.deepStrictEqual(
      valuesOf(({ door }) => [door]),
      ["effect", "promise"]
    )
    assert.deepStrictEqual(
      valuesOf(({ runs }) => runs.map(({ fault }) => fault?.is)),
      ["abort", "aborted before", "broken", "leave", "signal", "total"]
    )
    assert.deepStrictEqual(
      valuesOf(({ runs }) => runs.map(({ program }) => program.end.is)),
      ["dies", "exits", "stays", "stops"]
    )
    assert.deepStrictEqual(
      valuesOf(({ fate }) => [fate?.how]),
      ["SIGHUP", "SIGINT", "SIGKILL", "SIGTERM", "closes on SIGTERM", "exit", "lives", "reject", "throw"]
    )
    assert.deepStrictEqual(
      valuesOf(({ runs }) => runs.flatMap(({ program }) => program.tools.map(({ is }) => is))),
      ["chats", "daemon", "forks", "sleeper"]
    )
  })

  it("asks of a CLI only what it can do, unless it is to be refused", () => {
    for (const scenario of scenarios.slice(0, 200)) {
      for (const [index, run] of scenario.runs.entries()) {
        const params = paramsOf(scenario, run, index, room)
        const plan = clis[scenario.cli].plan(params, optionsOf(scenario, room), {
          env: {},
          workingDirectory: room.work,
          privateDirectory: "/r/private"
        })
        if (run.fault?.is !== "broken") assert.strictEqual(plan._tag, "Success", JSON.stringify(scenario))
      }
    }
  })
})

describe("dice", () => {
  it("stay within their bounds", () => {
    const dice = makeDice(1, 1)
    const draws = Array.from({ length: 1_000 }, () => [dice.between(2, 4), dice.spread(1, 1_000)] as const)
    assert.deepStrictEqual([...new Set(draws.map(([between]) => between))].sort(), [2, 3, 4])
    assert.isTrue(draws.every(([, spread]) => spread >= 1 && spread <= 1_000))
    const small = draws.filter(([, spread]) => spread < 32).length
    assert.isTrue(small > 400 && small < 600)
  })

  it("never draw what has no weight", () => {
    const dice = makeDice(1, 2)
    const drawn = Array.from({ length: 200 }, () =>
      dice.among([0, () => "never"], [1, () => "one"], [3, () => "three"])
    )
    const ones = drawn.filter((name) => name === "one").length
    assert.notInclude(drawn, "never")
    assert.isTrue(ones > 20 && ones < 80)
  })
})
