/** Turns of several hosts, real processes, of which some are killed: what was begun is not begun again unasked. */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { openStore } from "../../src/promise.ts"
import { FakeCli, LiveStep, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { isAlive, until } from "../kit/processes.ts"
import { makeDirectory } from "../kit/temporary.ts"

const hostOf = (name: string) => fileURLToPath(new URL(`hosts/${name}.ts`, import.meta.url))

interface Said {
  readonly type?: string
  readonly kind?: string
  readonly text?: string
  readonly sessionId?: string
  readonly failed?: string
  readonly code?: string
  readonly result?: { readonly text: string; readonly sessionId?: string }
  readonly data?: { readonly holder?: { readonly pid: number }; readonly turnIds?: ReadonlyArray<string> }
}

/** Asks in a process of its own. */
const asking =
  (command: string, directory: string, host = hostOf("asks")) =>
  (turn: object) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(process.execPath, [host, command, directory, JSON.stringify(turn)], {
          stdio: ["ignore", "pipe", "inherit"]
        })
        const text: Array<Said> = []
        createInterface({ input: child.stdout }).on("line", (line) => text.push(JSON.parse(line)))
        const over = new Promise<void>((resolve) => child.on("close", () => resolve()))
        return { child, said: text, over: Effect.promise(() => over) }
      }),
      ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
    )

const last = ({ said: text }: { readonly said: ReadonlyArray<Said> }) => text.at(-1)

const killed = (child: ChildProcess, over: Effect.Effect<void>) =>
  Effect.andThen(
    Effect.sync(() => child.kill("SIGKILL")),
    over
  )

const script = (steps: ReadonlyArray<ReadonlyArray<Step>>) => {
  const [first = FakeCli.claude([]), ...others] = steps.map((each) => FakeCli.claude(each))
  return FakeCli.inTurn(first, ...others)
}

/** A conversation with one turn at its end, and one whose host was killed while the agent was at work. */
const interruptedHost = Effect.gen(function* () {
  const directory = yield* makeDirectory
  const fake = yield* InstalledFake.make(
    script([[Step.text("one")], [Step.text("some"), Step.hang()], [Step.text("then")]])
  )
  const ask = asking(fake.command, directory)
  const turn = { conversation: ["chat", "1"], prompt: "first" }
  const before = yield* ask(turn)
  yield* before.over
  const interrupted = { ...turn, prompt: "long", turnId: "t" }
  const { child, over, said: text } = yield* ask(interrupted)
  yield* until(() => text.some(({ type }) => type === "text"))
  yield* killed(child, over)
  return { fake, ask, turn, interrupted, sessionId: last(before)?.sessionId ?? "" }
})

describe("a turn whose host was killed", () => {
  it.live("is interrupted, and runs nothing when it is asked again", () =>
    Effect.gen(function* () {
      const { fake, ask, interrupted } = yield* interruptedHost
      for (const _ of [1, 2]) {
        const request = yield* ask(interrupted)
        yield* request.over
        assert.strictEqual(last(request)?.failed, "TurnInterrupted")
      }
      assert.strictEqual(fake.calls().length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("is told of in the next turn of its conversation, which goes on with the session", () =>
    Effect.gen(function* () {
      const { fake, ask, turn, sessionId } = yield* interruptedHost
      const request = yield* ask({ ...turn, prompt: "and now?" })
      yield* request.over
      assert.strictEqual(last(request)?.sessionId, sessionId)
      const reported = request.said.find(({ kind }) => kind === "warning")
      assert.deepStrictEqual(reported?.data?.turnIds, ["t"])
      assert.include(fake.calls()[2]?.arguments.join(" "), sessionId)
    }).pipe(Effect.scoped)
  )

  it.live.each(["continue", "again"] as const)("goes on where the caller wants that: %s", (onInterrupted) =>
    Effect.gen(function* () {
      const { fake, ask, interrupted, sessionId } = yield* interruptedHost
      const request = yield* ask({ ...interrupted, onInterrupted })
      yield* request.over
      assert.deepStrictEqual(last(request), { text: "then", sessionId })
      const call = fake.calls()[2]
      assert.include(call?.arguments.join(" "), sessionId)
      assert.strictEqual(call?.stdin?.includes("long"), onInterrupted === "again")
      const again = yield* ask(interrupted)
      yield* again.over
      assert.deepStrictEqual(last(again), { text: "then", sessionId })
      assert.strictEqual(fake.calls().length, 3)
    }).pipe(Effect.scoped)
  )
})

/** The same in live sessions of a host each; the first turn is there, so that the conversation has a session. */
const interruptedLive = Effect.gen(function* () {
  const directory = yield* makeDirectory
  const fake = yield* InstalledFake.make(
    FakeCli.inTurn(
      FakeCli.live("claude", [[LiveStep.text("one")]]),
      FakeCli.live("claude", [[LiveStep.text("some"), LiveStep.hang()]]),
      FakeCli.live("claude", [[LiveStep.text("then")]])
    )
  )
  const ask = asking(fake.command, directory, hostOf("asksLive"))
  const before = yield* ask({ conversation: "a", prompt: "first", turnId: "1" })
  yield* before.over
  const interrupted = { conversation: "a", prompt: "long", turnId: "t" }
  const { child, over, said: text } = yield* ask(interrupted)
  yield* until(() => text.some(({ type }) => type === "text"))
  const { pid } = yield* Effect.promise(() => fake.started(2))
  yield* killed(child, over)
  return { directory, fake, ask, interrupted, pid, sessionId: last(before)?.result?.sessionId }
})

/** Prompts of the conversation, in order. */
const promptsIn = (directory: string) =>
  Effect.promise(async () => {
    await using store = await openStore({ directory })
    const prompts: Array<string> = []
    for await (const { event } of store.sessions.events({ conversation: "a" }, { follow: false })) {
      if (event.type === "prompt") prompts.push(event.text)
    }
    return prompts
  })

describe("a turn of a live session whose host was killed", () => {
  it.live.each(["continue", "again"] as const)("is begun again only where the caller wants that: %s", (onInterrupted) =>
    Effect.gen(function* () {
      const { directory, fake, ask, interrupted, pid, sessionId } = yield* interruptedLive
      const refused = yield* ask(interrupted)
      yield* refused.over
      assert.deepStrictEqual(
        refused.said.map(({ type, code }) => code ?? type),
        ["turn_interrupted", "turn_done"]
      )
      assert.isFalse(isAlive(pid))
      const request = yield* ask({ ...interrupted, onInterrupted })
      yield* request.over
      assert.strictEqual(last(request)?.result?.text, "then")
      assert.strictEqual(last(request)?.result?.sessionId, sessionId)
      const call = fake.calls().at(-1)
      assert.include(call?.arguments.join(" "), sessionId)
      const again = yield* ask(interrupted)
      yield* again.over
      assert.deepStrictEqual(last(again)?.result?.text, "then")
      const prompts = yield* promptsIn(directory)
      assert.deepStrictEqual(prompts.slice(0, 2), ["first", "long"])
      assert.lengthOf(prompts, 3)
      assert.strictEqual(prompts[2] === "long", onInterrupted === "again")
      assert.strictEqual(prompts[2]?.startsWith("Go on with the task: "), onInterrupted === "continue")
    }).pipe(Effect.scoped)
  )
})

describe("two hosts", () => {
  it.live("that ask the same turn at once run it once", () =>
    Effect.gen(function* () {
      const fake = yield* InstalledFake.make(FakeCli.claude([Step.wait("500 millis"), Step.text("one")]))
      const ask = asking(fake.command, yield* makeDirectory)
      const turn = { conversation: "a", turnId: "t", prompt: "hello" }
      const hosts = yield* Effect.all([ask(turn), ask(turn), ask(turn)])
      yield* Effect.all(
        hosts.map(({ over }) => over),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        hosts.map((each) => last(each)?.text),
        ["one", "one", "one"]
      )
      assert.strictEqual(fake.calls().length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("on one conversation wait for each other, know for whom, and go on when it is killed", () =>
    Effect.gen(function* () {
      const fake = yield* InstalledFake.make(script([[Step.text("one"), Step.hang()], [Step.text("two")]]))
      const ask = asking(fake.command, yield* makeDirectory)
      const first = yield* ask({ conversation: "a", turnId: "t", prompt: "hello" })
      const { pid } = yield* Effect.promise(() => fake.started(1))
      const second = yield* ask({ conversation: "a", prompt: "and now?" })
      yield* until(() => second.said.length > 0)
      assert.strictEqual(second.said[0]?.data?.holder?.pid, first.child.pid)
      assert.strictEqual(fake.calls().length, 1)
      yield* killed(first.child, first.over)
      yield* second.over
      assert.strictEqual(last(second)?.text, "two")
      assert.isFalse(isAlive(pid))
      const kinds = second.said.flatMap(({ kind }) => (kind === undefined ? [] : [kind]))
      assert.deepStrictEqual([...new Set(kinds)], ["queued", "warning"])
    }).pipe(Effect.scoped)
  )
})
