/** A host that made a run must be able to leave by itself: no handle, timer or listener keeps it. */
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { programPath } from "../kit/agent.ts"
import { endAll, isAlive } from "../kit/processes.ts"

interface Left {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const patienceMs = 20_000

/** Runs the host until it leaves by itself; one that does not is ended and told by its code. */
const hostOf = async (door: "promise" | "effect", how: string, program: string, ...args: ReadonlyArray<string>) => {
  const script = fileURLToPath(new URL(`./hosts/${door}.ts`, import.meta.url))
  const host = spawn(process.execPath, [script, how, programPath(program), ...args])
  const timer = setTimeout(() => host.kill("SIGKILL"), patienceMs)
  const [stdout, stderr, code] = await Promise.all([
    text(host.stdout),
    text(host.stderr),
    new Promise<number | null>((resolve) => host.once("exit", resolve))
  ])
  clearTimeout(timer)
  return { code, stdout, stderr } satisfies Left
}

const pidsIn = (stdout: string) =>
  [...stdout.matchAll(/pids((?:-\d+)+)/g)].flatMap(([, all]) => (all ?? "").split("-").filter(Boolean).map(Number))

describe.each(["promise", "effect"] as const)("a host of the door %s leaves by itself", (door) => {
  it.each([
    ["after a run", "run", "speaks"],
    ["after all events", "all", "speaks"],
    ["after it left in the middle", "first", "forever"],
    ["after a failure", "all", "exits-1"],
    ["after an unread prompt", "all", "exits-before-reading-stdin"]
  ])("%s", async (_, how, program) => {
    const { code, stdout, stderr } = await hostOf(door, how, program)
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.include(stdout, "host: end")
    assert.deepStrictEqual(pidsIn(stdout).filter(isAlive), [])
  })

  it.each(["grandchild-holds-stdout", "grandchild-holds-stderr"])(
    "although a %s in a session of its own",
    async (program) => {
      const { code, stdout } = await hostOf(door, "all", program, "--result", "--own-session")
      endAll(pidsIn(stdout))
      assert.include(stdout, "host: end")
      assert.strictEqual(code, 0)
    }
  )
})

it("a host that never closes its agent leaves by itself, too", async () => {
  const { code, stdout, stderr } = await hostOf("promise", "unclosed", "speaks")
  assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  assert.include(stdout, "host: end")
})

it("what there is to warn of is on the host's stderr; its stdout is its own", async () => {
  const { code, stdout, stderr } = await hostOf("promise", "run", "lingers")
  assert.strictEqual(code, 0)
  assert.match(stdout, /^\S+\nhost: end\n$/)
  assert.match(stderr, /level=WARN .*the process lingered after its result/)
})
