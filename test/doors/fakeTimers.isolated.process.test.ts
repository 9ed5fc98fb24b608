/** Runs of the plain door under the fake timers of Vitest and Node: they end, or it is said why they stand still. */
import { once } from "node:events"
import { mock } from "node:test"
import { afterEach, assert, describe, it, vi } from "vitest"
import { program } from "../kit/agent.ts"
import { agentOver } from "./plain.ts"

afterEach(() => {
  vi.useRealTimers()
  mock.timers.reset()
})

const answer = async () => {
  await using agent = agentOver(program("speaks"))
  return (await agent.run({ prompt: "hi" })).text
}

const hinted = async () => {
  const [warning] = await once(process, "warning")
  assert.strictEqual(warning.code, "REINS_FAKE_TIMERS")
  assert.match(warning.message, /setImmediate is replaced.*toFake: \["setTimeout", "Date"\]/)
}

describe("fake timers of Vitest", () => {
  it("that leave setImmediate real let a run end", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] })
    assert.strictEqual(await answer(), "hi")
  })

  it("that replace it stop a run, which is said; it ends when they are moved", async () => {
    vi.useFakeTimers()
    const running = answer()
    await hinted()
    let isOver = false
    const ended = running.finally(() => {
      isOver = true
    })
    while (!isOver) await vi.advanceTimersByTimeAsync(1)
    assert.strictEqual(await ended, "hi")
  })
})

describe("fake timers of Node", () => {
  it("that leave setImmediate real let a run end", async () => {
    mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] })
    assert.strictEqual(await answer(), "hi")
  })

  it("that replace everything, the timer of signals, too, stop a run, which is said", async () => {
    mock.timers.enable()
    const running = answer()
    await hinted()
    mock.timers.reset()
    // It waits for a fake timer until the process of the test ends.
    void running
  })

  it("that replace it stop a run, which is said; it ends when they are moved", async () => {
    mock.timers.enable({ apis: ["setImmediate"] })
    const running = answer()
    await hinted()
    let isOver = false
    const ended = running.finally(() => {
      isOver = true
    })
    while (!isOver) {
      mock.timers.tick(1)
      await new Promise((go) => setTimeout(go, 1))
    }
    assert.strictEqual(await ended, "hi")
  })
})
