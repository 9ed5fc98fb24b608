/** Gates and observers by the plain door: promises, and a function for what is released. */
import { assert, describe, it } from "vitest"
import {
  AgentError,
  type CreateAgentOptions,
  createAcpAgent,
  createAgent,
  mayRetry,
  type Observer,
  type PlainGate,
  type PlainPermit,
  Refused
} from "../../src/promise.ts"
import { killGrace, program, programPath } from "../kit/agent.ts"
import { peer, script } from "../kit/live.ts"
import { agentOver, rejection } from "./plain.ts"

const refusal = new Refused({ gate: "test", problem: "not today", retryable: true })

const gateOf = (admit: PlainGate["admit"]): PlainGate => ({ name: "test", admit })

const reasonOf = async (promise: Promise<unknown>) => {
  const error = await rejection(promise)
  return error instanceof AgentError ? error.reason : assert.fail(String(error))
}

describe("a gate", () => {
  it("lets in, has its say, and is released when nothing is left", async () => {
    const log: Array<string> = []
    const note = (what: string) => async () => {
      await Promise.resolve()
      log.push(what)
    }
    const gate = gateOf(async (start) => {
      log.push(start.type)
      return {
        amend: { env: { ONE: "gate", TWO: "gate" } },
        starting: note("starting"),
        opened: note("opened"),
        settle: note("settled"),
        release: note("released")
      }
    })
    await using agent = agentOver({ ...program("echo-stdin", "--tell=ONE,TWO"), gates: [gate] })
    const { text } = await agent.run({ prompt: "hi", env: { TWO: "caller" } })
    assert.deepInclude(JSON.parse(text), { env: { ONE: "gate", TWO: "caller" } })
    assert.deepStrictEqual(log, ["run", "starting", "opened", "settled", "released"])
  })

  const refusing: Readonly<Record<string, PlainGate["admit"]>> = {
    "admit rejects": async () => {
      throw refusal
    },
    "admit throws": () => {
      throw refusal
    },
    "starting rejects": () => ({ starting: () => Promise.reject(refusal) }),
    "opened rejects": () => ({ opened: () => Promise.reject(refusal) })
  }
  it.each(Object.entries(refusing))("refuses with its reason: %s", async (_, admit) => {
    await using agent = agentOver({ ...program("forever"), gates: [gateOf(admit)] })
    const error = await rejection(agent.run({ prompt: "hi" }))
    assert.isTrue(error instanceof AgentError && mayRetry(error))
    assert.deepInclude(error, { message: "claude: Refused by test: not today" })
  })

  it.each([
    ["throws", () => Promise.reject(new Error("s3cret"))],
    // As a caller in JavaScript would write it.
    ["returns an invalid permit", () => ({ starting: "soon" }) as unknown as PlainPermit],
    ["amends by nothing", () => ({ amend: null }) as unknown as PlainPermit],
    ["says no", () => false as unknown as PlainPermit]
  ])("that %s refuses, and says no more than that", async (_, admit) => {
    await using agent = agentOver({ ...program("speaks"), gates: [gateOf(admit)] })
    const reason = await reasonOf(agent.run({ prompt: "hi" }))
    assert.deepInclude(reason, { _tag: "Refused", retryable: false })
    assert.notInclude(JSON.stringify([reason, reason.message]), "s3cret")
  })

  it("hears that the caller has left, and what it still gives is released", async () => {
    const request = Promise.withResolvers<AbortSignal>()
    const permit = Promise.withResolvers<PlainPermit>()
    const released = Promise.withResolvers<void>()
    const gate = gateOf(({ signal }) => {
      request.resolve(signal)
      return permit.promise
    })
    await using agent = agentOver({ ...program("speaks"), gates: [gate] })
    const abort = new AbortController()
    const run = reasonOf(agent.run({ prompt: "hi", abortSignal: abort.signal }))
    const signal = await request.promise
    assert.isFalse(signal.aborted)
    abort.abort()
    assert.strictEqual((await run)._tag, "Aborted")
    assert.isTrue(signal.aborted)
    permit.resolve({ release: () => released.resolve() })
    await released.promise
  })

  it("is asked about sessions and their turns, or only about what it names", async () => {
    const all: Array<string> = []
    const turns: Array<string> = []
    const gates: ReadonlyArray<PlainGate> = [
      gateOf(({ type }) => void all.push(type) as undefined),
      { ...gateOf(({ type }) => void turns.push(type) as undefined), concerns: ["turn"] }
    ]
    await using agent = createAgent("claude", { killGrace, ...peer("claude"), gates })
    await using session = await agent.open()
    for (const text of ["one", "two"]) for await (const _ of session.turn(script({ say: text })));
    assert.deepStrictEqual(
      [all, turns],
      [
        ["session", "turn", "turn"],
        ["turn", "turn"]
      ]
    )
  })

  it("that never comes to the end of its release holds up neither the run nor the agent", async () => {
    const released = Promise.withResolvers<void>()
    const release = () => {
      released.resolve()
      return new Promise<void>(() => {})
    }
    const agent = agentOver({ ...program("speaks"), gates: [gateOf(() => ({ release }))] })
    assert.strictEqual((await agent.run({ prompt: "hi" })).text, "hi")
    await released.promise
    await agent.close()
  })

  it("that says to concern nonsense is asked about all", async () => {
    const gate = { ...gateOf(() => Promise.reject(refusal)), concerns: 5 } as unknown as PlainGate // as JavaScript would
    await using agent = agentOver({ ...program("speaks"), gates: [gate] })
    assert.strictEqual((await reasonOf(agent.run({ prompt: "hi" })))._tag, "Refused")
  })

  it("that settles for too long is told by its signal that the agent is closed", async () => {
    const settling = Promise.withResolvers<AbortSignal>()
    const settle: PlainPermit["settle"] = (_, { signal }) => {
      settling.resolve(signal)
      return new Promise(() => {})
    }
    const agent = agentOver({ ...program("speaks"), gates: [gateOf(() => ({ settle }))] })
    assert.strictEqual((await agent.run({ prompt: "hi" })).text, "hi")
    const signal = await settling.promise
    assert.isFalse(signal.aborted)
    await agent.close()
    assert.isTrue(signal.aborted)
  })
})

const makeWitness = () => {
  const log: Array<string> = []
  const observer: Observer = {
    name: "witness",
    begin: ({ type }) => ({
      events: ({ events }) => void log.push(...events.map((event) => `${type} ${event.type}`)),
      end: ({ result }) => void log.push(`${type} ended ${result.reason}`)
    })
  }
  return { observer, log }
}

describe("an observer", () => {
  it("hears runs", async () => {
    const { observer, log } = makeWitness()
    await using agent = agentOver({ ...program("speaks"), observers: [observer] })
    await agent.run({ prompt: "hi" })
    assert.deepStrictEqual(log, ["run session", "run text", "run usage", "run done", "run ended completed"])
  })

  it("that begins asynchronously is dropped, and its failure is handled", async () => {
    const begin = async () => {
      throw new Error("a bug of the application's")
    }
    await using agent = agentOver({ ...program("speaks"), observers: [{ name: "late", begin } as unknown as Observer] })
    assert.strictEqual((await agent.run({ prompt: "hi" })).text, "hi")
  })

  it("hears a run of an agent that only holds sessions as a session with one turn", async () => {
    const { observer, log } = makeWitness()
    const command = process.execPath
    await using agent = createAcpAgent({
      command,
      args: [programPath("acp-agent"), "--acp"],
      killGrace,
      observers: [observer]
    })
    await agent.run({ prompt: "hi" })
    assert.includeMembers(log, ["session done", "session ended completed", "turn turn_done", "turn ended completed"])
  })
})

describe("invalid options", () => {
  const wrong: ReadonlyArray<readonly [unknown, string]> = [
    [{ gates: [{}] }, "gates.0: Expected a gate: { name, admit }"],
    [{ gates: [() => {}] }, "gates.0: Expected a gate: { name, admit }"],
    [{ gates: { name: "x", admit: () => {} } }, "gates: Expected a list, not an object; a single one is a list of one"],
    [{ observers: [{ name: "x" }] }, "observers.0: Expected an observer: { name, begin }"]
  ]
  it.each(wrong)("%j", (options, message) => {
    assert.throws(() => createAgent("claude", options as CreateAgentOptions), TypeError, `createAgent: ${message}`)
    const acp = { command: "x", ...(options as object) }
    assert.throws(() => createAcpAgent(acp), TypeError, `createAcpAgent: ${message}`)
  })
})
