/** Hosts that are killed in the middle of a run: the next ledger has what their CLI had told so far, once, as an estimate. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { openStore } from "../../../src/promise.ts"
import { FakeCli, Step } from "../../../src/testing.ts"
import { InstalledFake } from "../../../src/testingEffect.ts"
import { until } from "../../kit/processes.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const program = fileURLToPath(new URL("hosts/runs.ts", import.meta.url))

const line = (event: object) => Step.line({ type: "stream_event", event, parent_tool_use_id: null })

const head = { id: "msg_a", type: "message", role: "assistant", model: "claude-opus-5-5", content: [] }
const usage = { input_tokens: 40, output_tokens: 7 }

/** One answer of the model, and then a long tool call. */
const answer = [
  Step.text("Some."),
  line({ type: "message_start", message: { ...head, usage } }),
  line({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage }),
  line({ type: "message_stop" })
]

interface Said {
  readonly type?: string
  readonly usage?: object
}

/** A host at work, which has heard of usage if its CLI tells any. */
const hostAtWork = (command: string, directory: string, isReady: (content: Said) => boolean) =>
  Effect.gen(function* () {
    const content: Array<Said> = []
    const { child, over } = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(process.execPath, [program, command, directory], { stdio: ["ignore", "pipe", "inherit"] })
        createInterface({ input: child.stdout }).on("line", (text) => content.push(JSON.parse(text)))
        const closed = new Promise<void>((resolve) => child.on("close", () => resolve()))
        return { child, over: Effect.promise(() => closed) }
      }),
      ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
    )
    yield* until(() => content.some(isReady))
    return {
      child,
      kill: Effect.andThen(
        Effect.sync(() => child.kill("SIGKILL")),
        over
      )
    }
  })

/** Rows of runs whose usage so far is in the store: this is not awaited. */
const noted = (directory: string) => {
  const database = new DatabaseSync(join(directory, "store.db"), { readOnly: true, timeout: 1_000 })
  const [row] = database.prepare("select count(*) as count from usage_open where input = 40").all()
  database.close()
  return Number(row?.["count"])
}

const reading = <A>(directory: string, read: (store: Awaited<ReturnType<typeof openStore>>) => Promise<A>) =>
  Effect.promise(async () => {
    await using store = await openStore({ directory })
    return await read(store)
  })

const entriesIn = (directory: string) =>
  reading(directory, async (store) => {
    await store.usage()
    return await Array.fromAsync(store.entries())
  })

describe("a host that is killed in the middle of a run", () => {
  it.live("leaves what its CLI had told, once, and only when it is dead", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const fake = yield* InstalledFake.make(FakeCli.claude([...answer, Step.hang()]))
      const host = yield* hostAtWork(fake.command, directory, ({ type }) => type === "usage")
      yield* until(() => noted(directory) === 1)
      assert.deepStrictEqual(yield* entriesIn(directory), [])
      host.child.kill("SIGSTOP")
      assert.deepStrictEqual(yield* entriesIn(directory), [], "a stopped host is not a dead one")
      host.child.kill("SIGCONT")
      yield* host.kill
      const entries = yield* entriesIn(directory)
      assert.strictEqual(entries.length, 1)
      const [entry] = entries
      assert.deepInclude(entry, { cli: "claude", user: "ada", inputTokens: 40, outputTokens: 7, source: "estimate" })
      assert.deepStrictEqual(yield* entriesIn(directory), entries)
    }).pipe(Effect.scoped)
  )

  it.live("before its CLI told of any usage leaves an entry of which nothing is known", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const fake = yield* InstalledFake.make(FakeCli.claude([Step.text("Some."), Step.hang()]))
      const host = yield* hostAtWork(fake.command, directory, ({ type }) => type === "text")
      yield* host.kill
      const [entry, ...others] = yield* entriesIn(directory)
      assert.deepStrictEqual(others, [])
      assert.deepInclude(entry, { source: "none", user: "ada" })
      assert.notProperty(entry, "micros")
    }).pipe(Effect.scoped)
  )

  it.live("beside others, of which none is lost or counted twice", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      // Each in a session of its own: two on one wait for each other.
      const at = (steps: ReadonlyArray<Step>, type: string) =>
        Effect.gen(function* () {
          const fake = yield* InstalledFake.make(FakeCli.claude(steps))
          return yield* hostAtWork(fake.command, directory, (content) => content.type === type)
        })
      const hang = () => at([...answer, Step.hang()], "usage")
      const finish = () => at([Step.text("Done."), Step.result({ costUsd: 0.25 })], "over")
      const doomed = yield* Effect.forEach([1, 2, 3], hang, { concurrency: 3 })
      yield* until(() => noted(directory) === 3)
      const living = Effect.forEach([1, 2, 3], finish, { concurrency: 3 })
      const killing = Effect.forEach(doomed, ({ kill }) => kill)
      yield* Effect.all([living, killing], { concurrency: 2 })
      const [one, other] = yield* Effect.all([entriesIn(directory), entriesIn(directory)], { concurrency: 2 })
      assert.deepStrictEqual(one, other)
      assert.strictEqual(one.filter(({ source, micros }) => source === "cli" && micros === 250_000).length, 3)
      assert.strictEqual(one.filter(({ source }) => source === "estimate").length, 3)
      assert.strictEqual(one.length, 6)
    }).pipe(Effect.scoped)
  )
})
