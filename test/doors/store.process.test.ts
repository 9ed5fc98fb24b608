/** The store of the plain door: opened, given to agents, closed; and what is said where it is missing or wrong. */
import { assert, describe, it } from "vitest"
import { AgentError, createAgent, openStore, type PlainStore, redacted, StoreError } from "../../src/promise.ts"
import { FakeCli, Step } from "../../src/testing.ts"

const memory = () => openStore({ memory: true })

const rejected = async (work: Promise<unknown>) =>
  work.then(
    () => assert.fail("it resolved"),
    (error: unknown) => error
  )

describe("openStore", () => {
  it("makes agents remember their conversations, in runs and live sessions", async () => {
    await using store = await memory()
    await using cli = await FakeCli.install(FakeCli.claude([Step.text("Hello.")]))
    await using agent = createAgent("claude", { command: cli.command, store })
    const one = await agent.run({ conversation: ["telegram", "17"], prompt: "one", turnId: "t1" })
    const two = await agent.run({ conversation: ["telegram", "17"], prompt: "two" })
    assert.strictEqual(two.sessionId, one.sessionId)
    const again = await agent.run({ conversation: ["telegram", "17"], prompt: "one", turnId: "t1" })
    assert.deepStrictEqual(again, one)
    const calls = cli.calls()
    assert.strictEqual(calls.length, 2)
    assert.include(calls[1]?.arguments.join(" "), `${one.sessionId}`)
    const events = []
    for await (const event of agent.execute({ conversation: ["telegram", "17"], prompt: "three" }))
      events.push(event.type)
    assert.deepStrictEqual(events, ["session", "text", "usage", "done"])
  })

  it("is asked for by its name where it is missing", async () => {
    await using agent = createAgent("claude")
    const error = await rejected(agent.run({ conversation: "a", prompt: "hello" }))
    assert.isTrue(error instanceof AgentError)
    assert.include(String(error), "conversation: needs a store: make the agent with { store: await openStore() }")
    const events = []
    for await (const event of agent.execute({ turnId: "a", prompt: "hello" })) events.push(event.type)
    assert.deepStrictEqual(events, ["error", "done"])
    assert.include(String(await rejected(agent.open({ fresh: true }))), "fresh: needs a store")
  })

  it("is nothing but what openStore gave", () => {
    // A caller in JavaScript forgets to wait.
    const forgotten = memory() as unknown as PlainStore
    assert.throws(
      () => createAgent("claude", { store: forgotten }),
      /createAgent: store: is not one of `await openStore\(\)`/
    )
  })

  it("refuses options by their names", async () => {
    const wrong: ReadonlyArray<readonly [object, string]> = [
      [{ dir: "/tmp" }, "dir: is not a known field"],
      [{ memory: true, directory: "/tmp/x" }, "memory: is a second place"],
      [{ keep: { transcripts: -1 } }, "keep.transcripts"],
      [{ keep: { sessions: "soon" } }, "keep.sessions: Expected a duration"],
      [{ postgres: { env: "REINS_TEST_NOT_SET" } }, 'the variable "REINS_TEST_NOT_SET" is not set']
    ]
    for (const [options, message] of wrong) {
      const error = await rejected(openStore(options))
      assert.isTrue(error instanceof StoreError)
      assert.include(String(error), message)
    }
    const secret = await rejected(openStore({ postgres: redacted("no url, hunter2") }))
    assert.notInclude(String(secret), "hunter2")
  })

  it("fails runs when it is closed", async () => {
    const store = await memory()
    await using cli = await FakeCli.install(FakeCli.claude([Step.text("Hello.")]))
    await using agent = createAgent("claude", { command: cli.command, store })
    await store.close()
    const error = await rejected(agent.run({ conversation: "a", prompt: "hello" }))
    assert.isTrue(error instanceof AgentError && error.reason._tag === "StoreUnavailable")
  })
})
