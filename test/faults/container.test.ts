/**
 * The promises of `examples/container`, without a container engine: a read-only root, a user who has no name and no HOME,
 * process 1, and at most a hundred processes.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, assert, describe, it } from "vitest"
import { script } from "../../src/program/reapingParent.ts"
import { containerProblem, inContainer, makeProcessLimit, type ProcessLimit } from "./kit/containerRoot.ts"

const program = fileURLToPath(new URL("../../dist/program.js", import.meta.url))
const host = fileURLToPath(new URL("hosts/containerHost.ts", import.meta.url))
const cache = fileURLToPath(new URL("../../.cache/", import.meta.url))

const root = mkdtempSync(join(tmpdir(), "reins-root-"))
/** Below the repository, which the root contains. */
const agents = mkdtempSync(join(cache, "container-"))
chmodSync(agents, 0o755)
const problem = containerProblem(root)
if (problem !== undefined) console.warn(`SKIPPED: no root of a container can be made here: ${problem}`)

const children: Array<ChildProcess> = []
const limits: Array<ProcessLimit> = []
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill("SIGKILL")
    await once(child, "exit")
  }
  for (const { remove } of limits.splice(0)) remove()
})
afterAll(() => {
  for (const directory of [root, agents]) rmSync(directory, { recursive: true, force: true })
})

/** Leaves three shells in sessions of their own, with a background child each. Stays where it is told to. */
const makeAgent = () => {
  const file = join(agents, "agent")
  const result = { type: "result", subtype: "success", is_error: false, result: "hello", num_turns: 1 }
  const lines = [{ type: "system", subtype: "init", model: "m", cwd: "/", tools: [] }, result]
  const print = lines.map((line) => `printf '%s\\n' '${JSON.stringify(line).replace("{", '{"session_id":"\'$$\'",')}'`)
  const leave = "for n in 1 2 3; do setsid sh -c 'sleep 1000 & sleep 1000; :' > /dev/null 2>&1 < /dev/null & done"
  const stay = `case $prompt in *stay*) echo '{}'; sleep 1000 ;; esac`
  writeFileSync(file, ["#!/bin/sh", "prompt=$(cat)", leave, stay, ...print, ""].join("\n"))
  chmodSync(file, 0o755)
  return file
}

const start = (words: ReadonlyArray<string>, group?: string) => {
  const [command = "", ...args] = inContainer(root, group, words)
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] })
  children.push(child)
  const printed = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      printed[name] += text
    })
  }
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...printed }))
  return { child, ended }
}

const parentOf = (name: string) => {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1])
  } catch {
    return undefined // it has ended
  }
}

/** The pid of process 1, as this process sees it. */
const firstOf = (launcher: number) => Number(readdirSync("/proc").find((name) => parentOf(name) === launcher))

const runs = 500
const mostProcesses = 100
const graceMs = 10_000

describe.skipIf(problem !== undefined)("in the root of a container", () => {
  it("the program runs an agent as process 1, with a volume for its state and nothing else", async () => {
    const args = ["run", "--output", "text", "--command", makeAgent(), "hi"]
    const { code, stdout, stderr } = await start([process.execPath, program, ...args]).ended
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "hello\n", stderr: "" })
  })

  it("the root is as read-only as it is said, and the user as nameless", () => {
    const look = "touch /x 2> /dev/null || echo closed; touch /state/x && echo open; id -un 2> /dev/null"
    const [command = "", ...args] = inContainer(root, undefined, ["sh", "-c", `${look}; echo "\${HOME-none}"`])
    const { stdout } = spawnSync(command, args, { encoding: "utf8" })
    assert.deepEqual(stdout.trim().split("\n"), ["closed", "open", "54321", "none"])
  })

  it(`${runs} runs leave process table and memory as they were, and SIGTERM ends what still runs`, async () => {
    const limit = makeProcessLimit(mostProcesses)
    if (limit === undefined) console.warn("no limit on processes can be set here: the runs have none")
    else limits.push(limit)
    const words = ["/bin/sh", "-c", script, "reins", process.execPath, host, String(runs), makeAgent()]
    const { child, ended } = start(words, limit?.group)
    const facts: Array<Record<string, number | boolean>> = []
    for await (const line of createInterface({ input: child.stdout ?? assert.fail() })) {
      facts.push(JSON.parse(line))
      if (facts.at(-1)?.["isWaiting"] !== true) continue
      const stoppedAt = performance.now()
      process.kill(firstOf(child.pid ?? 0), "SIGTERM")
      const { code, stderr } = await ended
      assert.isBelow(performance.now() - stoppedAt, graceMs)
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" })
    }
    const steps = facts.slice(0, 5)
    assert.strictEqual(steps.at(-1)?.["outcomes"], runs)
    for (const { processes, ended } of [...steps, facts.at(-1) ?? {}]) {
      assert.deepEqual({ processes, ended }, { processes: 3, ended: 0 })
    }
    const [first, last] = [Number(steps[0]?.["heapMiB"]), Number(steps.at(-1)?.["heapMiB"])]
    assert.isBelow(last - first, 4)
    assert.strictEqual(facts.at(-1)?.["isDrained"], true)
  }, 300_000)
})
