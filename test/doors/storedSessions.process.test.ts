/** The sessions of a store by the plain door: what was said is kept, read again, exported, and forgotten. */
import { assert, describe, it } from "vitest"
import { createAgent, openStore, StoreError } from "../../src/promise.ts"
import { FakeCli, Step } from "../../src/testing.ts"

const all = async <A>(items: AsyncIterable<A>) => {
  const found: Array<A> = []
  for await (const item of items) found.push(item)
  return found
}

const rejection = async (work: Promise<unknown>) =>
  work.then(
    () => assert.fail("it resolved"),
    (error: unknown) => (error instanceof StoreError ? error.reason._tag : assert.fail(String(error)))
  )

describe("store.sessions", () => {
  it("has what was said in a conversation", async () => {
    await using store = await openStore({ memory: true })
    await using cli = await FakeCli.install(FakeCli.claude([Step.text("Hello.")]))
    const { sessions } = store
    {
      await using agent = createAgent("claude", { command: cli.command, store })
      await agent.run({ conversation: "billing", prompt: "one" })
    }
    const [session] = await all(sessions.list())
    assert.deepInclude(session, { cli: "claude", conversation: ["billing"], title: "one", turns: 1 })
    assert.deepEqual(await sessions.get("billing"), session)
    const events = await all(sessions.events("billing", { follow: false }))
    assert.deepStrictEqual(
      events.map(({ event }) => event.type),
      ["prompt", "session", "text", "usage", "done"]
    )
    assert.include((await all(sessions.export("billing", "markdown"))).join(""), "\n> one\n\n**Agent**\n")
    assert.strictEqual((await sessions.rename("billing", "Bills")).title, "Bills")
    await sessions.fork("billing", { conversation: "other" })
    await sessions.clear("other")
    assert.strictEqual((await sessions.archive("billing")).state, "archived")
    const ref = { cli: "claude", sessionId: session?.sessionId ?? "" }
    assert.strictEqual((await sessions.adopt(ref, { conversation: "billing" })).state, "live")
    await sessions.forget("billing")
    assert.deepStrictEqual(await all(sessions.list({ all: true })), [])
  })

  it("rejects with a StoreError, in iterables, too", async () => {
    await using store = await openStore({ memory: true })
    const { sessions } = store
    assert.strictEqual(await rejection(sessions.get({ cli: "claude", sessionId: "nobody" })), "UnknownSession")
    assert.strictEqual(await rejection(all(sessions.events({ conversation: "nobody" }))), "UnknownSession")
    assert.strictEqual(await rejection(all(sessions.list({ limit: -1 }))), "InvalidParams")
    assert.strictEqual(await rejection(all(sessions.export({ conversation: "x" }, "markdown"))), "UnknownSession")
  })

  it("rejects when the store is closed", async () => {
    const store = await openStore({ memory: true })
    await store.close()
    const { sessions } = store
    const works = [sessions.get("a"), sessions.forget("a"), all(sessions.list()), all(sessions.events("a"))]
    for (const work of works) {
      await work.then(
        () => assert.fail("it resolved"),
        (error) => assert.strictEqual(String(error), "StoreError: The store cannot be used: it is closed")
      )
    }
  })

  it("goes on with events until the reader leaves", async () => {
    await using store = await openStore({ memory: true })
    await using cli = await FakeCli.install(FakeCli.claude([Step.text("Hello.")]))
    await using agent = createAgent("claude", { command: cli.command, store })
    await agent.run({ conversation: "billing", prompt: "one" })
    let second: Promise<unknown> | undefined
    let prompts = 0
    for await (const { event } of store.sessions.events("billing")) {
      if (event.type === "done") second ??= agent.run({ conversation: "billing", prompt: "two" })
      if (event.type === "prompt") prompts += 1
      if (prompts === 2) break
    }
    await second
    assert.strictEqual(prompts, 2)
  })
})
