/** The door for plain callers: `for await` and `await`; real processes. */
import { assert, describe, it } from "vitest"
import { AgentError, type AgentEvent, type CliId, createAgent, type ParamsOf } from "../../src/promise.ts"
import { FakeCli, Step } from "../../src/testing.ts"
import { program } from "../kit/agent.ts"
import { completed, endingOf, errorOf, pidsOf, resultOf, textOf, timedOut } from "../kit/events.ts"
import { agentOver, rejection } from "./plain.ts"

const all = async (events: AsyncIterable<AgentEvent>) => {
  const taken: Array<AgentEvent> = []
  for await (const event of events) taken.push(event)
  return taken
}

/** As a caller in JavaScript would hand them over. */
const untyped = (params: unknown) => params as ParamsOf<"claude">

describe("execute", () => {
  it("gives the events, `done` last", async () => {
    await using agent = agentOver(program("speaks"))
    const events = await all(agent.execute({ prompt: "hi" }))
    assert.strictEqual(agent.cli, "claude")
    assert.deepStrictEqual(endingOf(events), completed)
    assert.strictEqual(textOf(events), "hi")
  })

  it("never throws for what goes wrong with the agent", async () => {
    await using agent = agentOver({ command: "no-such-cli" })
    assert.strictEqual(errorOf(await all(agent.execute({ prompt: "hi" }))).code, "not_installed")
  })

  it("each iteration is one run", async () => {
    await using agent = agentOver(program("speaks"))
    const run = agent.execute({ prompt: "hi" })
    const one = await all(run)
    const two = await all(run)
    assert.deepStrictEqual([textOf(one), textOf(two)], ["hi", "hi"])
    assert.notDeepEqual(pidsOf(one), pidsOf(two))
  })

  it("leaves the host's stdin alone", async () => {
    const listeners = () => process.stdin.eventNames().map((name) => process.stdin.listenerCount(name))
    const before = listeners()
    await using agent = agentOver(program("speaks"))
    for await (const _ of agent.execute({ prompt: "hi" })) assert.deepStrictEqual(listeners(), before)
  })

  it("two runs at once share nothing", async () => {
    await using agent = agentOver(program("speaks"))
    const [one, two] = await Promise.all([all(agent.execute({ prompt: "one" })), all(agent.execute({ prompt: "two" }))])
    assert.deepStrictEqual([resultOf(one).text, resultOf(two).text], ["one", "two"])
    assert.notDeepEqual(pidsOf(one), pidsOf(two))
  })
})

describe("run", () => {
  it("gives the result", async () => {
    await using agent = agentOver(program("speaks"))
    assert.deepInclude(await agent.run({ prompt: "hi" }), { outcome: "completed", text: "hi" })
  })

  it("rejects with `AgentError`, its reason and the result that was reached", async () => {
    await using cli = await FakeCli.install(FakeCli.claude([Step.text("last words"), Step.signal("SIGKILL")]))
    await using agent = agentOver({ command: cli.command })
    const error = await rejection(agent.run({ prompt: "hi" }))
    if (!(error instanceof AgentError)) return assert.fail(`an AgentError, not ${String(error)}`)
    assert.deepInclude(error.reason, { _tag: "Killed", signal: "SIGKILL" })
    assert.deepInclude(error.result, { outcome: "failed", text: "last words" })
    assert.strictEqual(error.cli, "claude")
  })

  it("`timeoutMs` is the idle budget, and `timeouts` wins over it", async () => {
    await using agent = agentOver({ ...program("forever"), timeoutMs: 200 })
    assert.deepStrictEqual(endingOf(await all(agent.execute({ prompt: "hi" }))), timedOut("idle"))
    await using other = agentOver({ ...program("forever"), timeoutMs: 3_600_000, timeouts: { idle: 200 } })
    assert.deepStrictEqual(endingOf(await all(other.execute({ prompt: "hi" }))), timedOut("idle"))
  })
})

describe("from JavaScript", () => {
  it("an unknown id is refused by name", () => {
    for (const id of ["cluade", "", "toString", "__proto__"]) {
      // what a caller in JavaScript can write
      assert.throws(() => createAgent(id as CliId), new RegExp(`${JSON.stringify(id)}.*claude`))
    }
  })

  it.each([
    [{ prompt: "hi", promt: "typo" }, 'promt: is not a known field; did you mean "prompt"?'],
    [{ prompt: "hi", cwd: "." }, 'cwd: is not a known field; did you mean "workingDirectory"?'],
    [{ prompt: 5 }, "prompt"],
    [{ prompt: "hi", allowedTools: "Bash" }, "allowedTools"],
    [null, "params"],
    [undefined, "params"]
  ])("params %j give error and done, or a rejection; %s is named", async (params, name) => {
    await using agent = agentOver(program("speaks"))
    const events = await all(agent.execute(untyped(params)))
    assert.strictEqual(resultOf(events).reason, "invalid_params")
    assert.include(errorOf(events).message, name)
    const error = await rejection(agent.run(untyped(params)))
    if (!(error instanceof AgentError)) return assert.fail(`an AgentError, not ${String(error)}`)
    assert.strictEqual(error.reason._tag, "InvalidParams")
    assert.include(error.message, name)
  })
})

describe("an agent that is closed", () => {
  it("tells so as any run that was aborted", async () => {
    const agent = createAgent("claude", { command: "/no/such" })
    await agent.close()
    const events = await Array.fromAsync(agent.execute({ prompt: "hello" }))
    assert.deepStrictEqual(
      events.map((event) => event.type),
      ["error", "done"]
    )
    const error = await agent.run({ prompt: "hello" }).catch((error: unknown) => error)
    assert.isTrue(error instanceof AgentError && error.reason._tag === "Aborted")
  })
})

describe("invalid options", () => {
  const input: ReadonlyArray<readonly [string, unknown, string]> = [
    ["no object", null, "createAgent: the options are not an object"],
    ["an unknown one", { comand: "x" }, 'createAgent: comand: is not a known field; did you mean "command"?'],
    ["of the wrong type", { maxLineBytes: "1" }, "createAgent: maxLineBytes: Expected a number, not a text"],
    ["a negative budget", { timeouts: { total: -1 } }, "createAgent: timeouts.total: Expected a duration above 0"],
    ["no budget", { timeoutMs: 0 }, "createAgent: timeouts.idle: Expected a duration above 0"],
    ["a negative grace", { killGrace: -1 }, "createAgent: killGrace: Expected a duration"]
  ]
  it.each(input)("are refused at once: %s", (_, options, message) => {
    const create = createAgent as (id: "claude", options: unknown) => unknown // as JavaScript would call it
    try {
      create("claude", options)
      assert.fail("it was taken")
    } catch (error) {
      assert.include(String(error), message)
    }
  })
})

describe("an output schema that is not JSON", () => {
  const cyclic: Record<string, unknown> = { type: "object" }
  cyclic["self"] = cyclic
  it.each([["a cycle", cyclic] as const, ["a BigInt", { const: 1n }] as const])(
    "is refused: %s",
    async (_, outputSchema) => {
      await using agent = createAgent("claude", { command: "/no/such" })
      const [error] = await Array.fromAsync(agent.execute({ prompt: "hello", outputSchema }))
      assert.deepInclude(error, { type: "error", code: "invalid_params", message: "outputSchema: Expected JSON" })
    }
  )
})

it("the name of a CLI may be written with blanks and capitals", async () => {
  await using agent = createAgent(" Claude " as "claude", { command: "/no/such" })
  assert.strictEqual(agent.cli, "claude")
})
