/** The gate for sessions, asked by itself: what it holds, for how long, and what it says. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { makeSessionGuard } from "../../../src/agents/engine/sessionGuard.ts"
import { hold } from "../../../src/agents/guard/hold.ts"
import { whoHolds } from "../../../src/agents/guard/holderFile.ts"
import type { Limits } from "../../../src/contract/AgentOptions.ts"
import type { GateStart, RunStartParams } from "../../../src/contract/Start.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { makeRunId } from "../../../src/system/process/host.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const holderOf = (sessionId: string) => whoHolds({ what: "session", cli: "claude", sessionId })

const askFor = Effect.fnUntraced(function* (params: Partial<RunStartParams>, limits: Limits = {}) {
  const notices: Array<string> = []
  const scope = yield* Scope.fork(yield* Effect.scope)
  const id = yield* makeRunId
  const start: GateStart = {
    type: "run",
    id,
    cli: "claude",
    workingDirectory: "/",
    limits,
    params: { prompt: "hello", ...params },
    queued: ({ problem }) => void notices.push(problem),
    notice: ({ message }) => void notices.push(message),
    waitedMs: () => 0
  }
  const permit = yield* Scope.provide(makeSessionGuard().admit(start), scope)
  return { id, notices, permit, close: Scope.close(scope, Exit.void) }
})

const inState = <A, E>(test: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.flatMap(makeDirectory, (state) => Effect.provideService(test, HostEnvironment, { XDG_STATE_HOME: state }))

describe("the guard of sessions", () => {
  it.live("holds a resumed session from before its start until its end", () =>
    inState(
      Effect.gen(function* () {
        const { id, permit, close } = yield* askFor({ sessionId: "one" })
        assert.strictEqual((yield* holderOf("one"))?.runId, id)
        yield* permit.opened?.("one") ?? Effect.void
        yield* close
        assert.isUndefined(yield* holderOf("one"))
      })
    )
  )

  it.live("holds a new session before anybody is told of it, and another that the CLI goes over to", () =>
    inState(
      Effect.gen(function* () {
        const { id, permit, close } = yield* askFor({})
        for (const sessionId of ["one", "two"]) {
          yield* permit.opened?.(sessionId) ?? Effect.void
          assert.strictEqual((yield* holderOf(sessionId))?.runId, id)
        }
        yield* close
        assert.isUndefined(yield* holderOf("one"))
        assert.isUndefined(yield* holderOf("two"))
      })
    )
  )

  it.live("holds the real session of a name, such as that of the last one", () =>
    inState(
      Effect.gen(function* () {
        const { id, permit } = yield* askFor({ sessionId: "last" })
        yield* permit.opened?.("real") ?? Effect.void
        assert.strictEqual((yield* holderOf("real"))?.runId, id)
      })
    )
  )

  it.live("holds the parent of a fork until the new session has its id", () =>
    inState(
      Effect.gen(function* () {
        const { id, permit } = yield* askFor({ sessionId: "parent", forkSession: true })
        assert.strictEqual((yield* holderOf("parent"))?.runId, id)
        yield* permit.opened?.("fork") ?? Effect.void
        assert.isUndefined(yield* holderOf("parent"))
        assert.strictEqual((yield* holderOf("fork"))?.runId, id)
      })
    )
  )

  it.live("of a run of its own that goes over to a session which this process has refuses nothing", () =>
    inState(
      Effect.gen(function* () {
        yield* hold({
          subject: { what: "session", cli: "claude", sessionId: "one" },
          runId: yield* makeRunId,
          use: "write",
          patienceMs: 0,
          queued: () => {}
        })
        const { permit } = yield* askFor({})
        yield* permit.opened?.("one") ?? Effect.void
      })
    )
  )

  it.live("holds nothing where it is switched off", () =>
    inState(
      Effect.gen(function* () {
        const { permit, notices } = yield* askFor({ sessionId: "one" }, { guard: "none" })
        yield* permit.opened?.("two") ?? Effect.void
        assert.isUndefined(yield* holderOf("one"))
        assert.isUndefined(yield* holderOf("two"))
        assert.isEmpty(notices)
      })
    )
  )
})
