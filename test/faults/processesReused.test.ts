/** A pid is used again: what a run has started is never taken for the process that has its pid by now. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { clis } from "../../src/agents/Agents.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import { sweep } from "../../src/system/process/descendants.ts"
import { Host } from "../../src/system/process/host.ts"
import { isAlive, until } from "../kit/processes.ts"
import { interrupted } from "./kit/processEndings.ts"
import { reapersOf, startHost } from "./kit/processHost.ts"
import { successOf } from "./kit/processRecordings.ts"
import { canChoosePids, reuse } from "./kit/processReuse.ts"
import { makeTree } from "./kit/processTree.ts"

/** A process that nothing has to do with a run, as the process table has it. */
const makeOther = Effect.gen(function* () {
  const child = spawn("sleep", ["120"], { stdio: "ignore" })
  yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
  const { processes } = yield* Host
  const [found = assert.fail("it runs")] = yield* processes.find([child.pid ?? 0])
  return found
})

describe("a process that was started at another time than the one that is meant", () => {
  it.live("is not ended by the end of a run", () =>
    Effect.gen(function* () {
      const [other, intended] = [yield* makeOther, yield* makeOther]
      yield* sweep("no-such-run", Effect.succeed([{ ...other, start: String(Number(other.start) - 1) }, intended]))
      assert.deepStrictEqual([other.pid, intended.pid].map(isAlive), [true, false])
    })
  )

  it.live("is not ended by the death of its host", () =>
    Effect.gen(function* () {
      const [other, intended] = [yield* makeOther, yield* makeOther]
      const script = fileURLToPath(new URL("hosts/processTells.ts", import.meta.url))
      const reported = [`${other.pid}:${Number(other.start) - 1}`, `${intended.pid}:${intended.start}`]
      const host = spawn(process.execPath, [script, ...reported], { stdio: ["pipe", "pipe", "inherit"] })
      yield* Effect.promise(() => once(host.stdout, "data"))
      const reapers = reapersOf(host.pid ?? 0)
      host.kill("SIGKILL")
      yield* until(() => !reapers.some(isAlive))
      assert.deepStrictEqual([other.pid, intended.pid].map(isAlive), [true, false])
    })
  )
})

const daemon = "daemon without environment"

const makeRun = Effect.gen(function* () {
  const tree = yield* makeTree
  const args = ["--trees=cleared-daemon", successOf(clis.claude).file, "--lines=1", "--then=stay"]
  const options: AgentOptions = { command: process.execPath, baseArgs: [...tree.baseArgs, ...args], killGrace: 500 }
  const pidOf = (role: string) => tree.pids()[role] ?? assert.fail("it runs")
  return { id: "claude", options, params: { prompt: "hello" }, stands: tree.stands, pidOf } as const
})

describe.skipIf(!canChoosePids)("a process that got the pid of a tool", () => {
  it.live("is not ended by the end of the run", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      const fiber = yield* Effect.forkChild(interrupted({ ...run, stands: Effect.never }), { startImmediately: true })
      yield* run.stands
      reuse(run.pidOf(daemon))
      yield* Fiber.interrupt(fiber)
      assert.isTrue(isAlive(run.pidOf(daemon)))
    })
  )

  it.live("is not ended by the death of the host", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      const host = yield* startHost([run])
      yield* host.stands
      yield* run.stands
      // It cannot tell any more that the tool has left.
      process.kill(host.pid, "SIGSTOP")
      const reapers = reapersOf(host.pid)
      reuse(run.pidOf(daemon))
      process.kill(host.pid, "SIGKILL")
      yield* until(() => !reapers.some(isAlive))
      assert.deepStrictEqual([run.pidOf("cli"), run.pidOf(daemon)].map(isAlive), [false, true])
    })
  )
})
