/**
 * However a host dies, nothing of its runs lives five seconds later: for every CLI value, with everything that a CLI and
 * its tools are known to leave behind. Linux only, as the guarantee is.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import { type Host, startHost } from "./kit/processHost.ts"
import { successOf } from "./kit/processRecordings.ts"
import { livingOf, makeTree, type Tree } from "./kit/processTree.ts"

// Each of them waits most of its time.
vi.setConfig({ maxConcurrency: 4 })

/** The promised time, plus what a busy machine may take. */
const boundMs = 5_000 + 3_000

const signalled = (signal: NodeJS.Signals) => (host: Host) => process.kill(host.pid, signal)
const ordered = (what: string) => (host: Host) => host.order(what)

const deaths: ReadonlyArray<readonly [string, (host: Host) => void]> = [
  ["is killed", signalled("SIGKILL")],
  ["is killed with its whole process group", (host) => process.kill(-host.pid, "SIGKILL")],
  ["gets SIGTERM", signalled("SIGTERM")],
  ["gets SIGINT", signalled("SIGINT")],
  ["gets SIGHUP", signalled("SIGHUP")],
  ["gets SIGINT with its whole process group", (host) => process.kill(-host.pid, "SIGINT")],
  ["exits", ordered("exit")],
  ["throws an uncaught error", ordered("throw")],
  ["rejects without a handler", ordered("reject")]
]

/**
 * Hosts that live, although their time is over. The exit of another host's process sends no notification: it has to be
 * polled.
 */
const survivorsOf = Effect.fnUntraced(function* (tree: Tree) {
  const deadline = performance.now() + boundMs
  while (livingOf(tree).length > 0 && performance.now() < deadline) yield* Effect.sleep(20)
  return livingOf(tree)
})

const ids = Object.keys(clis) as ReadonlyArray<CliId>

describe.concurrent.each(ids)("nothing of a run of %s lives when its host", (id) => {
  it.live.each(deaths)("%s", ([_, die]) =>
    Effect.gen(function* () {
      const tree = yield* makeTree
      const args = ["--behind=wrapper,launcher", successOf(clis[id]).file, "--lines=1", "--then=deaf"]
      // It is the reaper that ends them, and not a grace that runs out.
      const options: AgentOptions = {
        command: process.execPath,
        baseArgs: [...tree.baseArgs, ...args],
        killGrace: "1 minute",
        // All of them print one recording, and with it one session.
        limits: { guard: "none" }
      }
      const host = yield* startHost([{ id, options, params: { prompt: "hello" } }])
      yield* host.stands
      yield* tree.stands
      die(host)
      yield* host.ended
      assert.deepStrictEqual(yield* survivorsOf(tree.pids()), [])
    })
  )
})
