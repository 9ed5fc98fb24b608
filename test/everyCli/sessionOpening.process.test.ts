/** Sessions that cannot be opened, for every CLI value: the reason is typed and named, and nothing is left. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { clis } from "../../src/agents/Agents.ts"
import { AgentError } from "../../src/index.ts"
import { agentOver, ids, open, peer } from "../kit/live.ts"
import { processesWith, until } from "../kit/processes.ts"

const mcpServers = { host: { command: "x" } }
const tool = { name: "add", description: "Adds.", inputSchema: { type: "object" }, run: () => 1 }

describe.each(ids)("%s", (id) => {
  const refusal = (...args: Parameters<typeof open> extends [unknown, ...infer Rest] ? Rest : never) =>
    Effect.map(Effect.flip(open(id, ...args)), (error) => {
      assert.instanceOf(error, AgentError)
      assert.strictEqual(error.cli, id)
      return error
    })

  it.live("is not installed", () =>
    Effect.gen(function* () {
      const { reason, message } = yield* refusal({}, { command: "/no/such/program" })
      assert.strictEqual(reason._tag, "NotInstalled")
      assert.include(message, clis[id].install)
    })
  )

  it.live("exits at once, with the reason", () =>
    Effect.gen(function* () {
      const mark = crypto.randomUUID()
      const { reason, result } = yield* refusal({}, peer(id, "--start=exit", mark))
      assert.deepInclude(reason, { _tag: "Exited", exitCode: 3 })
      assert.strictEqual(result.stderrTail, "the last words")
      assert.deepStrictEqual(processesWith(mark), [])
    })
  )

  it.effect("never finishes its handshake", () =>
    Effect.gen(function* () {
      const mark = crypto.randomUUID()
      const options = peer(id, "--start=silent", mark)
      const opening = yield* Effect.forkChild(refusal({ timeouts: { startup: "5 seconds" } }, options))
      yield* until(() => processesWith(mark).length > 0).pipe(TestClock.withLive)
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(TestClock.adjust("1 second"), Effect.yieldNow)))
      const { reason } = yield* Fiber.join(opening)
      assert.deepInclude(reason, { _tag: "TimedOut", state: "startup" })
      assert.deepStrictEqual(processesWith(mark), [])
    })
  )

  it.live("is cancelled while it opens: by an abort, or by the end of its scope", () =>
    Effect.gen(function* () {
      const mark = crypto.randomUUID()
      const options = peer(id, "--start=silent", mark)
      const controller = new AbortController()
      const aborted = yield* Effect.forkChild(refusal({ abortSignal: controller.signal }, options))
      yield* until(() => processesWith(mark).length > 0)
      controller.abort()
      assert.strictEqual((yield* Fiber.join(aborted)).reason._tag, "Aborted")
      assert.deepStrictEqual(processesWith(mark), [])

      const agent = yield* agentOver(id, options)
      const scope = yield* Scope.make()
      const left = yield* Effect.forkChild(Scope.provide(agent.open(), scope))
      yield* until(() => processesWith(mark).length > 0)
      yield* Fiber.interrupt(left)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(processesWith(mark), [])
    })
  )

  it.live("is aborted before it is opened", () =>
    Effect.gen(function* () {
      const { reason } = yield* refusal({ abortSignal: AbortSignal.abort() })
      assert.strictEqual(reason._tag, "Aborted")
    })
  )

  it.live("refuses unknown options and wrong values", () =>
    Effect.gen(function* () {
      // The types forbid it; callers without types can do it.
      const { supports } = clis[id].live ?? assert.fail("it has no live session")
      const wrong: ReadonlyArray<readonly [string, object]> = [
        ["prompt", { prompt: "hello" }],
        ["approvals.0", { approvals: ["allow"] }],
        ["questions", { questions: "on" }],
        ["timeouts.idle", { timeouts: { idle: "soon" } }],
        ...(supports.has("tools") ? [["mcpServers", { mcpServers, tools: [tool] }] as const] : [])
      ]
      for (const [option, params] of wrong) {
        const { reason } = yield* refusal(params)
        assert.deepInclude(reason, { _tag: "InvalidParams", option })
      }
    })
  )

  it.live("refuses unsupported options", () =>
    Effect.gen(function* () {
      const { supports } = clis[id].live ?? assert.fail("it has no live session")
      const hooks = [{ event: "PreToolUse", run: () => Effect.void }] as const
      const values = {
        forkSession: true,
        newSessionId: "00000000-0000-4000-8000-000000000000",
        maxBudgetUsd: 1,
        fallbackModel: "x",
        maxTurns: 1,
        mcpServers,
        tools: [tool],
        hooks
      }
      for (const [name, value] of Object.entries(values)) {
        if (([...supports] as ReadonlyArray<string>).includes(name)) continue
        const { reason } = yield* refusal({ [name]: value })
        assert.deepInclude(reason, { _tag: "UnsupportedOption", option: name, cli: id })
      }
    })
  )
})
