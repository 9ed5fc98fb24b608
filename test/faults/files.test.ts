/**
 * However a run or its host ends, the user's files are as before: byte for byte, with their modes, nothing more and
 * nothing less. For every CLI value, with params that make it write all that it can write.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import { isAlive, until } from "../kit/processes.ts"
import { environmentOf, hasSpill, makeBusyHost, makeRun } from "./kit/processBusyHost.ts"
import { makeUser } from "./kit/processFiles.ts"
import { type Host, reapersOf, startHost } from "./kit/processHost.ts"
import { failureOf, successOf } from "./kit/processRecordings.ts"

vi.setConfig({ maxConcurrency: 8 })

const ids = Object.keys(clis) as ReadonlyArray<CliId>

interface ByItself {
  readonly args: (cli: Cli) => ReadonlyArray<string>
  readonly reason: string
  readonly params?: Partial<AgentExecuteParams>
}

const byItself: Readonly<Record<string, ByItself>> = {
  "it succeeds": { args: (cli) => successOf(cli).exits, reason: "completed" },
  "the CLI gives up": { args: (cli) => failureOf(cli).exits, reason: "agent_failed" },
  "the CLI is killed": { args: (cli) => [successOf(cli).file, "--lines=1", "--then=kill"], reason: "killed" },
  "the CLI fails before its first line": { args: () => ["--then=exit-1"], reason: "exited" },
  "it is silent for too long": {
    args: () => ["--then=deaf"],
    params: { timeouts: { startup: 300 } },
    reason: "timed_out"
  },
  "it takes too long": {
    args: (cli) => [successOf(cli).file, "--lines=1", "--then=stay"],
    params: { timeouts: { total: 3_000 } },
    reason: "timed_out"
  }
}

const deaths: ReadonlyArray<readonly [string, (host: Host) => void]> = [
  ["is killed", ({ pid }) => process.kill(pid, "SIGKILL")],
  ["is killed with its whole process group", ({ pid }) => process.kill(-pid, "SIGKILL")],
  ["gets SIGTERM", ({ pid }) => process.kill(pid, "SIGTERM")],
  ["exits", (host) => host.order("exit")],
  ["throws an uncaught error", (host) => host.order("throw")]
]

describe.concurrent.each(ids)("the files of a user of %s are as before when", (id) => {
  it.live.each(Object.entries(byItself))("%s", ([_, { args, params, reason }]) =>
    Effect.gen(function* () {
      const user = yield* makeUser
      const before = user.listing()
      const runs = [
        yield* makeRun(id, args(clis[id]), { ...params, workingDirectory: user.configured }),
        yield* makeRun(id, args(clis[id]), { ...params, workingDirectory: user.plain })
      ]
      const host = yield* startHost(
        runs.map(({ order }) => order),
        environmentOf(user)
      )
      host.order("go on")
      yield* host.over
      // The params ask for all that there is; a CLI that takes a schema has answered in prose.
      const isProse = reason === "completed" && clis[id].supports.has("outputSchema")
      const reported = isProse ? "schema_not_met" : reason
      assert.deepStrictEqual(host.reasons(), [reported, reported])
      assert.deepStrictEqual(user.listing(), before)
      host.order("go home")
      assert.strictEqual(yield* host.ended, "")
    })
  )

  it.live.each([
    ["it is aborted", "abort"],
    ["its consumer leaves", "leave"],
    ["its agent is closed", "close"]
  ] as const)("%s", ([_, order]) =>
    Effect.gen(function* () {
      const { user, before, host, check } = yield* makeBusyHost(id)
      host.order(order)
      yield* host.over
      assert.deepStrictEqual(user.listing(), before)
      assert.isFalse(hasSpill(host))
      check()
      host.order("go home")
      assert.strictEqual(yield* host.ended, "")
    })
  )

  it.live.each(deaths)("its host %s", ([_, die]) =>
    Effect.gen(function* () {
      const { user, before, host, check } = yield* makeBusyHost(id)
      const reapers = reapersOf(host.pid)
      assert.isNotEmpty(reapers)
      die(host)
      yield* host.ended
      yield* until(() => !reapers.some(isAlive))
      assert.deepStrictEqual(user.listing(), before)
      check()
    })
  )
})
