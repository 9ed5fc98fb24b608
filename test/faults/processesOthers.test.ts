/** Nothing is ended but what a run has started: other processes of its host, other runs, and other hosts go on. */
import { spawn } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { vi } from "vitest"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import { endAll, isAlive, until } from "../kit/processes.ts"
import { aborted, interrupted } from "./kit/processEndings.ts"
import { reapersOf, startHost } from "./kit/processHost.ts"
import { successOf } from "./kit/processRecordings.ts"
import { livingOf, makeTree } from "./kit/processTree.ts"

vi.setConfig({ maxConcurrency: 4 })

const ids = Object.keys(clis) as ReadonlyArray<CliId>

/** A run that goes on, and its tree. */
const makeRun = Effect.fnUntraced(function* (id: CliId) {
  const tree = yield* makeTree
  const args = [successOf(clis[id]).file, "--lines=1", "--then=stay"]
  const options: AgentOptions = {
    command: process.execPath,
    baseArgs: [...tree.baseArgs, ...args],
    killGrace: 500,
    // Both print one recording, and with it one session.
    limits: { guard: "none" }
  }
  return { id, options, params: { prompt: "hello" }, stands: tree.stands, pids: tree.pids }
})

/** Processes of this host: one beside it, one that has left it, and one of a run that this host knows nothing of. */
const makeOthers = Effect.gen(function* () {
  const stdio = "ignore"
  const others = [
    spawn("sleep", ["120"], { stdio }),
    spawn("sleep", ["120"], { stdio, env: {}, detached: true }),
    spawn("sleep", ["120"], { stdio, env: { ...process.env, REINS_RUN: "somebody.else" }, detached: true })
  ].flatMap(({ pid }) => pid ?? [])
  yield* Effect.addFinalizer(() => Effect.sync(() => endAll(others)))
  return others
})

describe.concurrent.each(ids)("the end of a run of %s", (id) => {
  it.live("leaves another run and other processes of its host alone", () =>
    Effect.gen(function* () {
      const others = yield* makeOthers
      const [one, two] = [yield* makeRun(id), yield* makeRun(id)]
      const fiber = yield* Effect.forkChild(interrupted({ ...two, stands: Effect.never }), { startImmediately: true })
      yield* two.stands
      yield* aborted(one)
      assert.deepStrictEqual(livingOf(one.pids()), [])
      assert.deepStrictEqual(livingOf(two.pids()), Object.keys(two.pids()))
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(livingOf(two.pids()), [])
      assert.deepStrictEqual(others.filter(isAlive), others)
    })
  )

  it.live("by the death of its host leaves other processes of it and other hosts alone", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* makeRun(id), yield* makeRun(id)]
      const [dying, living] = [yield* startHost([one]), yield* startHost([two])]
      yield* Effect.all([dying.stands, living.stands, one.stands, two.stands])
      const reapers = reapersOf(dying.pid)
      assert.isNotEmpty(reapers)
      process.kill(dying.pid, "SIGKILL")
      yield* until(() => livingOf(one.pids()).length === 0 && !reapers.some(isAlive))
      assert.deepStrictEqual(livingOf(two.pids()), Object.keys(two.pids()))
      for (const host of [dying, living]) assert.deepStrictEqual(host.own().map(isAlive), [true, true])
    })
  )
})
