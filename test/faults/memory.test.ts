/**
 * Memory is bounded, whatever arrives and however slow the consumer is. Each measurement is made in a process of its
 * own, and the kernel reports its peak.
 */
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { clis } from "../../src/agents/Agents.ts"
import { plainSuccessOf, recordingPath } from "../cli/fixtures.ts"
import { programPath } from "../kit/agent.ts"

/** A host with little memory: V8 lets no garbage lie about that would hide what is held. */
const small = ["--max-old-space-size=64", "--max-semi-space-size=2"]

const patienceMs = 600_000

/** The report of the host at its end. */
const measured = async (host: string, flags: ReadonlyArray<string>, ...args: ReadonlyArray<string>) => {
  const script = fileURLToPath(new URL(`hosts/${host}.ts`, import.meta.url))
  const child = spawn(process.execPath, ["--expose-gc", ...flags, script, ...args], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const reported = await text(child.stdout)
  assert.notStrictEqual(reported, "", "the host lived to its end")
  return JSON.parse(reported)
}

describe("a consumer who pauses while 500 MB of events arrive", () => {
  it.each([
    ["claude", 1_000],
    ["claude", 20_000],
    ["claude", 1_000_000],
    ["gemini", 20_000],
    ["codex", 20_000],
    ["opencode", 20_000]
  ] as const)(
    "costs disk and no memory, and has every event later: %s, %i bytes each",
    async (id, lineBytes) => {
      const program = [programPath("floods-events"), `--line-bytes=${lineBytes}`]
      const reported = await measured("memoryPaused", small, id, ...program)
      assert.match(reported.printed, /^\d+ [0-9a-f]{64}$/)
      assert.strictEqual(reported.delivered, reported.printed)
      assert.isAbove(reported.spilled, 400_000_000)
      assert.deepStrictEqual(reported.left, [])
      assert.isBelow(reported.paused.resident, 40)
      assert.isBelow(reported.paused.live, 40)
      assert.isBelow(reported.taken.resident, 80)
    },
    patienceMs
  )
})

it(
  "1 GB of stderr is read, and its end is what is kept",
  async () => {
    const { resident, live, ...reported } = await measured("memoryStderr", small, "1000", programPath("pours-stderr"))
    assert.deepStrictEqual(reported, { outcome: "completed", tailLength: 4_000, tailEnd: "last words" })
    assert.isBelow(resident, 40)
    assert.isBelow(live, 10)
  },
  patienceMs
)

it(
  "a line of 64 MiB is read with less than four times its length",
  async () => {
    const lineBytes = 64 * 1024 * 1024
    const bytes = lineBytes - 500
    const measure = async () => {
      const { resident, ...reported } = await measured("memoryLine", [], String(bytes), programPath("big-line"))
      assert.deepInclude(reported, { lengths: [bytes, 4], outcome: `completed, ${bytes + 4} characters` })
      return resident
    }
    // The lesser of three: on a busy machine garbage may stay for a while.
    assert.isBelow(Math.min(await measure(), await measure(), await measure()), (4 * lineBytes) / 1_000_000)
  },
  patienceMs
)

/** Names that the second list has more often than the first. */
const moreThan = (before: string, after: string): ReadonlyArray<string> => {
  const left = before.split(" ")
  return after.split(" ").filter((name) => {
    const at = left.indexOf(name)
    if (at === -1) return true
    left.splice(at, 1)
    return false
  })
}

/** Bytes for each run: the median of the slopes between all pairs, which a single step does not change. */
const slope = (heaps: ReadonlyArray<number>, runsBetween: number) => {
  const slopes = heaps
    .flatMap((heap, at) => heaps.slice(at + 1).map((later, more) => (later - heap) / (more + 1)))
    .sort((a, b) => a - b)
  return (slopes[Math.floor(slopes.length / 2)] ?? Number.NaN) / runsBetween
}

it(
  "1,000 runs one after the other leave nothing behind in their host",
  async () => {
    const recordings = Object.values(clis).map((cli) => recordingPath(cli, plainSuccessOf(cli)))
    const { completed, warnings, heaps, afterTen, atEnd } = await measured("memoryRuns", [], "200", ...recordings)
    assert.strictEqual(completed, 1_000)
    assert.deepStrictEqual(warnings, [])
    assert.deepInclude(atEnd, { descriptors: afterTen.descriptors, listeners: 0 })
    // A pipe of the tenth run may not be closed yet.
    assert.deepStrictEqual(moreThan(afterTen.resources, atEnd.resources), [])
    // In the first half the engine still compiles; in the second, too, for 600 to 1,050 bytes a run, and ever less.
    assert.isBelow(slope(heaps.slice(heaps.length / 2), 25), 2_000)
  },
  patienceMs
)

describe("an hour of 10,000 spans a minute and a collector that", () => {
  it.each(["hangs", "fails", "busy"])(
    "%s: what is exported is bounded",
    async (behaviour) => {
      const { resident, live, warnings, requests } = await measured("memoryExporter", small, behaviour)
      assert.strictEqual(warnings, 1)
      assert.isBelow(requests, 1_000)
      assert.isBelow(resident, 40)
      assert.isBelow(live, 10)
    },
    patienceMs
  )
})
