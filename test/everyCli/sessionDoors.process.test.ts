/** Live sessions of the plain door, for every CLI value: promises and loops that leave nothing behind. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { AgentError, type AgentEvent, createAgent } from "../../src/promise.ts"
import { rejection } from "../doors/plain.ts"
import { killGrace } from "../kit/agent.ts"
import { assertWhole, content, ids, peer, script, traits, turnResult, use } from "../kit/live.ts"
import { assertAllDead, isAlive } from "../kit/processes.ts"

const collect = async (events: AsyncIterable<AgentEvent>) => {
  const all: Array<AgentEvent> = []
  for await (const event of events) all.push(event)
  return all
}

const pidIn = (events: ReadonlyArray<AgentEvent>) =>
  Number(
    content(events)
      .find((line) => line.startsWith("pid "))
      ?.slice(4)
  )

describe.each(ids)("%s", (id) => {
  const asks = script({ pid: true }, ...use(id, { id: "a", command: "run a" }), { tell: true })
  const answers = traits(id).asksPermission ? ["a=allow"] : []

  const agentOver = (...args: ReadonlyArray<string>) => createAgent(id, { killGrace, ...peer(id, ...args) })

  it("takes turns, asks the host's function and ends with its block", async () => {
    await using agent = agentOver()
    let pid = 0
    {
      await using session = await agent.open({
        onPermission: ({ command }) => ({ decision: command === "run a" ? "allow" : "deny" })
      })
      const events = await collect(session.turn(asks))
      pid = pidIn(events)
      assert.deepStrictEqual(content(events), [`pid ${pid}`, ...answers])
      assert.strictEqual(turnResult(events).sessionId, session.sessionId)
      assert.isTrue(isAlive(pid))
      assert.strictEqual(content(await collect(session.turn("hello"))).join(), "hello")
    }
    assertAllDead([pid])
  })

  it("emits all events to the end, and its `done`", async () => {
    await using agent = agentOver()
    const session = await agent.open()
    const events = collect(session.events)
    await collect(session.turn(asks))
    await session.close()
    await session.close()
    assertWhole(await events)
    assert.isFalse(await session.interrupt())
    assert.isFalse(await session.decide("?", { decision: "allow" }))
    assert.instanceOf(await rejection(session.send("?")), AgentError)
    assert.strictEqual(turnResult(await collect(session.turn("?"))).outcome, "aborted")
  })

  it("is interrupted when the loop is left, and takes the next turn", async () => {
    await using agent = agentOver()
    await using session = await agent.open()
    for await (const event of session.turn(script({ say: "a" }, { hang: true }))) if (event.type === "text") break
    assert.deepStrictEqual(content(await collect(session.turn("next"))), ["next"])
  })

  it("is gone for every caller of `close`, also of concurrent ones", async () => {
    await using agent = agentOver()
    const session = await agent.open()
    const pid = pidIn(await collect(session.turn(script({ pid: true }))))
    const first = session.close()
    await session.close()
    assert.isFalse(isAlive(pid))
    await first
  })

  it("ends with its agent", async () => {
    const agent = agentOver()
    const session = await agent.open()
    const pid = pidIn(await collect(session.turn(script({ pid: true }))))
    await agent.close()
    assertAllDead([pid])
    assert.strictEqual((await collect(session.events)).at(-1)?.type, "done")
    assert.instanceOf(await rejection(agent.open()), AgentError)
  })

  it("rejects with the reason if it cannot be opened", async () => {
    await using agent = agentOver("--start=exit")
    const error = await rejection(agent.open())
    assert.isTrue(error instanceof AgentError && error.reason._tag === "Exited")
  })

  it("records the lines of the CLI", async () => {
    const directory = mkdtempSync(join(tmpdir(), "test-"))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const record = join(directory, "wire.ndjson")
    await using agent = agentOver()
    const session = await agent.open({ record })
    await collect(session.turn(script({ say: "remember me" })))
    await session.close()
    const lines = readFileSync(record, "utf8").trimEnd().split("\n")
    assert.isTrue(lines.every((line) => typeof JSON.parse(line) === "object"))
    assert.include(lines.join(), "remember me")
  })
})
