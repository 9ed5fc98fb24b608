/** The plain door: however a run is stopped, the process is gone when the call returns; real processes. */
import { getEventListeners } from "node:events"
import { assert, describe, it } from "vitest"
import { AgentError, type AgentEvent } from "../../src/promise.ts"
import { program } from "../kit/agent.ts"
import { abortedEnding, endingOf, pidsOf } from "../kit/events.ts"
import { assertAllDead, isAlive } from "../kit/processes.ts"
import { agentOver, rejection } from "./plain.ts"

/** A promise that must settle soon; what it settles to is left to the test. */
const soon = async <A>(promise: Promise<A>, what: string): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not settle`)), 15_000)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

describe("stopping a run", () => {
  it("leaving the loop ends the process", async () => {
    await using agent = agentOver(program("forever"))
    const known: Array<AgentEvent> = []
    for await (const event of agent.execute({ prompt: "hi" })) {
      known.push(event)
      break
    }
    assertAllDead(pidsOf(known))
  })

  it("throwing out of the loop does, too", async () => {
    await using agent = agentOver(program("forever"))
    const known: Array<AgentEvent> = []
    const loop = async () => {
      for await (const event of agent.execute({ prompt: "hi" })) {
        known.push(event)
        throw new Error("mine")
      }
    }
    assert.match(String(await rejection(loop())), /mine/)
    assertAllDead(pidsOf(known))
  })

  it("the abort signal does, and has no listener left", async () => {
    await using agent = agentOver(program("forever"))
    const abort = new AbortController()
    const known: Array<AgentEvent> = []
    for await (const event of agent.execute({ prompt: "hi", abortSignal: abort.signal })) {
      known.push(event)
      abort.abort()
    }
    assert.deepStrictEqual(endingOf(known), abortedEnding)
    assertAllDead(pidsOf(known))
    assert.deepStrictEqual(getEventListeners(abort.signal, "abort"), [])
    const error = await rejection(agent.run({ prompt: "hi", abortSignal: abort.signal }))
    assert.strictEqual(error instanceof AgentError && error.reason._tag, "Aborted")
  })

  it("a signal that was never used has no listener left, either", async () => {
    await using agent = agentOver(program("speaks"))
    const { signal } = new AbortController()
    await agent.run({ prompt: "hi", abortSignal: signal })
    assert.deepStrictEqual(getEventListeners(signal, "abort"), [])
  })

  it("`return()` does, also while `next()` is waiting", async () => {
    await using agent = agentOver(program("forever"))
    const iterator = agent.execute({ prompt: "hi" })[Symbol.asyncIterator]()
    const first = await iterator.next()
    const pids = first.done === true ? [] : pidsOf([first.value])
    const waiting = iterator.next()
    await soon(Promise.all([iterator.return?.(), waiting]), "return()")
    assertAllDead(pids)
  })

  it("closing the agent does, while the iterator is paused", async () => {
    const agent = agentOver(program("forever"))
    const iterator = agent.execute({ prompt: "hi" })[Symbol.asyncIterator]()
    const first = await iterator.next()
    const pids = first.done === true ? [] : pidsOf([first.value])
    assert.isTrue(pids.length > 0 && pids.every(isAlive))
    await soon(agent.close(), "close()")
    assertAllDead(pids)
    await soon(iterator.next(), "next() after close()")
  })

  it("`await using` does", async () => {
    const pids: Array<number> = []
    {
      await using agent = agentOver(program("forever"))
      const iterator = agent.execute({ prompt: "hi" })[Symbol.asyncIterator]()
      const first = await iterator.next()
      if (first.done !== true) pids.push(...pidsOf([first.value]))
    }
    assertAllDead(pids)
  })

  it("closing rejects a pending `run` with `AgentError`, and a later one at once", async () => {
    const agent = agentOver(program("forever"))
    const pending = rejection(agent.run({ prompt: "hi" }))
    for await (const _ of agent.execute({ prompt: "hi" })) break
    await soon(agent.close(), "close()")
    const error = await soon(pending, "run() after close()")
    assert.strictEqual(error instanceof AgentError && error.reason._tag, "Aborted")
    await soon(rejection(agent.run({ prompt: "hi" })), "run() on a closed agent")
    await soon(agent.close(), "a second close()")
  })

  it("closing while a run is about to start leaves nothing behind", async () => {
    const agent = agentOver(program("forever"))
    const iterator = agent.execute({ prompt: "hi" })[Symbol.asyncIterator]()
    const next = iterator.next().catch(() => undefined)
    await soon(agent.close(), "close()")
    const first = await soon(next, "next()")
    const event = first === undefined || first.done === true ? undefined : first.value
    if (event?.type === "session") assertAllDead(pidsOf([event]))
  })
})
