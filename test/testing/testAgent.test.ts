/** `testAgent`: given events by the plain door. */
import { assert, describe, expect, it } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { AgentError } from "../../src/promise.ts"
import { type ScriptedFailure, testAgent } from "../../src/testing.ts"
import { abortedEnding, completed, endingOf } from "../kit/events.ts"
import { error, text } from "./events.ts"

describe("the plain door", () => {
  it("gives the events and the result, and rejects as a real agent does", async () => {
    await using agent = testAgent(({ prompt }) =>
      prompt === "fail" ? [error("overloaded", "overloaded")] : [text("Hi.")]
    )
    const events = await Array.fromAsync(agent.execute({ prompt: "hello" }))
    assert.deepStrictEqual(endingOf(events), completed)
    assert.strictEqual((await agent.run({ prompt: "hello" })).text, "Hi.")
    const rejected = await agent.run({ prompt: "fail" }).catch((error: unknown) => error)
    assert.deepInclude(rejected, { _tag: "AgentError", cli: "claude" })
  })

  it("takes an async iterable", async () => {
    const input = async function* () {
      yield text("one ")
      await Promise.resolve()
      yield text("two")
    }
    await using agent = testAgent(input, { cli: "gemini" })
    assert.strictEqual(agent.cli, "gemini")
    assert.strictEqual((await agent.run({ prompt: "hello" })).text, "one two")
  })

  it.each([
    [
      "an async generator",
      async function* () {
        for (;;) yield text("a")
      }
    ],
    [
      "a generator",
      function* () {
        for (;;) yield text("a")
      }
    ]
  ])("is aborted by a timer in the middle of events that never pause: %s", async (_, input) => {
    await using agent = testAgent(input)
    const abortSignal = AbortSignal.timeout(20)
    const rejected = await agent.run({ prompt: "hello", abortSignal }).catch((error: unknown) => error)
    assert.deepInclude(rejected, { _tag: "AgentError" })
    const events = await Array.fromAsync(agent.execute({ prompt: "hello", abortSignal: AbortSignal.timeout(20) }))
    assert.deepStrictEqual(endingOf(events), abortedEnding)
  })

  it.each([
    { _tag: "Exited", exitCode: 3, category: "crash", stderr: "" },
    { _tag: "AgentFailed", code: "busy", category: "rate_limit", detail: "Later.", retryAfterMs: 3000 },
    { _tag: "Refused", gate: "budget", problem: "is used up", retryable: true }
  ] as const satisfies ReadonlyArray<ScriptedFailure>)(
    "fails as a failure in the script says: $_tag",
    async (failure) => {
      await using agent = testAgent([text("Hm."), failure])
      const rejected = await agent.run({ prompt: "hello" }).catch((error: unknown) => error)
      assert.instanceOf(rejected, AgentError)
      assert.deepInclude(rejected.reason, { ...failure })
      assert.strictEqual(rejected.result.text, "Hm.")
    }
  )

  it.each([
    [[{ _tag: "Exploded" }], /event 1 is not a failure: /],
    [[{ _tag: "Exited", exitCode: "3" }], /event 1 is not a failure: /],
    [[text("a"), { type: "tekst", text: "a" }], /event 2 is invalid: /],
    [[{ type: "text", text: 5 }], /event 1 is invalid: /],
    [[null], /event 1 is invalid: /],
    ["text", /neither an iterable/],
    [undefined, /neither an iterable/]
  ])("refuses values that are not events: %j", async (input, words) => {
    await using agent = testAgent(input as never)
    await expect(agent.run({ prompt: "hello" })).rejects.toThrow(words)
  })

  it("is aborted for its last listener when the agent is closed", async () => {
    const agent = testAgent(async function* () {
      yield text("one")
      await new Promise(() => undefined)
    })
    const known: Array<AgentEvent> = []
    for await (const event of agent.execute({ prompt: "hello" })) {
      known.push(event)
      if (event.type === "text") void agent.close()
    }
    assert.deepStrictEqual(endingOf(known), abortedEnding)
    assert.deepStrictEqual(endingOf(await Array.fromAsync(agent.execute({ prompt: "hello" }))), abortedEnding)
  })
})
