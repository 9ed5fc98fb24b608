/** Runs end with their host, whatever they have started and however the host dies. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { reapersOf } from "../../faults/kit/processHost.ts"
import { programPath } from "../../kit/agent.ts"
import { endAll, isAlive, until } from "../../kit/processes.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const pathOf = (host: string) => fileURLToPath(new URL(`hosts/${host}.ts`, import.meta.url))

/** The pids of the run's tree are in the first line of the program. */
const hostWith = async (how: string, program: string, name = "dies") => {
  const host = spawn(process.execPath, [pathOf(name), how, programPath(program)], {
    stdio: ["ignore", "pipe", "pipe"]
  })
  const [line] = await once(createInterface({ input: host.stdout }), "line")
  const pids = String(line).split("-").slice(1).map(Number)
  assert.isAbove(pids.length, 0)
  return { host, pids }
}

const assertGone = (pids: ReadonlyArray<number>, withinMs = 5_000) =>
  until(() => !pids.some(isAlive), withinMs).pipe(Effect.ensuring(Effect.sync(() => endAll(pids))))

describe("five seconds after the death of its host, nothing of a run is alive", () => {
  const programs = [
    ["forever"],
    ["ignores-sigterm"],
    ["parallel-grandchildren"],
    ["own-session"],
    ["cleared-environment"]
  ] as const

  it.live.each(programs)("killed: %s", ([program]) =>
    Effect.gen(function* () {
      const { host, pids } = yield* Effect.promise(() => hostWith("waits", program))
      assert.isTrue(pids.every(isAlive))
      host.kill("SIGKILL")
      yield* assertGone(pids)
    })
  )

  it.live.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("by an unhandled signal: %s", (signal) =>
    Effect.gen(function* () {
      const { host, pids } = yield* Effect.promise(() => hostWith("waits", "parallel-grandchildren"))
      host.kill(signal)
      yield* assertGone(pids)
    })
  )

  it.live.each(["exit", "throw"])("by itself: %s", (how) =>
    Effect.gen(function* () {
      const { pids } = yield* Effect.promise(() => hostWith(how, "parallel-grandchildren"))
      yield* assertGone(pids)
    })
  )
})

it.live.each([["own-session"], ["cleared-environment"]] as const)(
  "the same by the process table of macOS, which has no marks: %s",
  ([program]) =>
    Effect.gen(function* () {
      const { host, pids } = yield* Effect.promise(() => hostWith("waits", program, "diesOnMac"))
      assert.isTrue(pids.every(isAlive))
      host.kill("SIGKILL")
      yield* assertGone(pids)
    })
)

describe("a killed reaper", () => {
  it.live.each([1, 3])("is replaced at once, %s times, and ends the runs of its host", (times) =>
    Effect.gen(function* () {
      // The last reaper knows what the first was told: this tool carries no mark.
      const { host, pids } = yield* Effect.promise(() => hostWith("waits", "cleared-environment"))
      const pid = host.pid ?? 0
      for (let time = 0; time < times; time += 1) {
        const [reaper = 0, ...others] = reapersOf(pid)
        assert.deepStrictEqual(others, [])
        process.kill(reaper, "SIGKILL")
        yield* until(() => reapersOf(pid).some((found) => found !== reaper && isAlive(found)), 2_000)
        yield* until(() => !isAlive(reaper))
      }
      assert.isTrue(pids.every(isAlive))
      host.kill("SIGKILL")
      yield* assertGone(pids, 15_000)
    })
  )
})

it.live("a host that dies before it starts a process leaves no private files", () =>
  Effect.gen(function* () {
    const TMPDIR = yield* makeDirectory
    const early = fileURLToPath(new URL("hosts/diesEarly.ts", import.meta.url))
    const host = spawn(process.execPath, [early], { env: { ...process.env, TMPDIR }, stdio: "ignore" })
    const [, signal] = yield* Effect.promise(() => once(host, "exit"))
    assert.strictEqual(signal, "SIGKILL")
    yield* until(() => readdirSync(TMPDIR).length === 0, 5_000)
  })
)
