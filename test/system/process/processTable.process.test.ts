/** Both process tables list the same processes: that of Linux from /proc, and that of macOS, by the `ps` of Linux. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runMarker } from "../../../src/contract/Plan.ts"
import { makeLinuxProcesses, makeProcFiles } from "../../../src/system/process/linuxProcesses.ts"
import { makePsProcesses, parseProcesses } from "../../../src/system/process/macProcesses.ts"
import { noProcessTable, type ProcessTable, stillThere } from "../../../src/system/process/processTable.ts"
import { makeDirectory } from "../../kit/temporary.ts"

/** A child that is running, until the end of the test. */
const startChild = (env: NodeJS.ProcessEnv = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn("/bin/sh", ["-c", "echo; read -r line"], { env })
      const left = once(child, "exit")
      await once(child.stdout, "data")
      const leave = Effect.promise(() => {
        child.stdin.end()
        return left
      })
      return { pid: child.pid ?? assert.fail("it runs"), leave }
    }),
    ({ leave }) => leave
  )

const tables: ReadonlyArray<readonly [string, () => ProcessTable]> = [
  ["Linux", makeLinuxProcesses],
  ["macOS", makePsProcesses]
]

describe.each(tables)("the process table of %s", (_, make) => {
  it.live("lists a process with its parent and start until it exits", () =>
    Effect.gen(function* () {
      const table = make()
      const { pid, leave } = yield* startChild()
      const [found = assert.fail("it runs"), ...others] = yield* table.find([pid, 2 ** 22 + 1])
      assert.isEmpty(others)
      assert.strictEqual(found.parent, process.pid)
      assert.match(found.start, /^\S+$/)
      assert.isTrue((yield* table.list(true)).some((entry) => entry.pid === pid && entry.parent === process.pid))
      yield* leave
      assert.isEmpty(yield* table.find([pid]))
      assert.isFalse((yield* table.list(true)).some((entry) => entry.pid === pid))
    })
  )

  it.live("tells processes with the same pid apart by their start", () =>
    Effect.gen(function* () {
      const table = make()
      const { pid } = yield* startChild()
      const [found = assert.fail("it runs")] = yield* table.find([pid])
      assert.deepStrictEqual(yield* stillThere(table, [found, { ...found, start: "0" }]), [found])
    })
  )

  it.live("serves a list that need not be fresh for half a second", () =>
    Effect.gen(function* () {
      const table = make()
      const first = yield* table.list(false)
      assert.strictEqual(yield* table.list(false), first)
      assert.notStrictEqual(yield* table.list(true), first)
    })
  )

  it.live("gives a shell the same", () =>
    Effect.gen(function* () {
      const { find, shell } = make()
      const { pid } = yield* startChild()
      const [{ start } = assert.fail("it runs")] = yield* find([pid])
      const request = spawn("/bin/sh", [
        "-c",
        `${shell}\nlook ${pid} && echo "$start"; entries; look 9999999 || echo none`
      ])
      let printed = ""
      request.stdout.on("data", (chunk) => {
        printed += chunk
      })
      yield* Effect.promise(() => once(request, "close"))
      const [looked, ...lines] = printed.trim().split("\n")
      assert.strictEqual(looked, start)
      assert.include(lines, `${pid}:${process.pid}:${start}`)
      assert.strictEqual(lines.at(-1), "none")
    })
  )
})

describe("the marks of processes, on Linux", () => {
  it.live("are listed with all their runs until the process exits", () =>
    Effect.gen(function* () {
      const { marks = assert.fail("it has them") } = makeLinuxProcesses()
      const runs = ["outer-run", crypto.randomUUID()]
      const { pid, leave } = yield* startChild({ [runMarker]: runs.join(" ") })
      const found = Effect.map(marks.list, (all) => all.filter((entry) => entry.pid === pid))
      const [one, ...others] = yield* found
      assert.deepInclude(one, { parent: process.pid, marks: runs })
      assert.isEmpty(others)
      assert.deepStrictEqual(marks.of(pid), runs)
      yield* leave
      assert.isEmpty(yield* found)
    })
  )

  it.live("are read once for all callers of one turn, and again for later ones", () =>
    Effect.gen(function* () {
      const { marks = assert.fail("it has them") } = makeLinuxProcesses()
      const [one, two] = yield* Effect.all([marks.list, marks.list], { concurrency: 2 })
      assert.strictEqual(one, two)
      assert.notStrictEqual(yield* marks.list, one)
    })
  )

  /** A /proc, of which each read is noted. */
  const ownProc = Effect.map(makeDirectory, (root) => {
    const read: Array<string> = []
    const files = makeProcFiles(root)
    const set = (pid: number, start: number, environ: string) => {
      const directory = join(root, String(pid))
      const next = join(root, "next")
      mkdirSync(next)
      writeFileSync(join(next, "stat"), `${pid} (a) b) S 1${" 0".repeat(17)} ${start} 0`)
      writeFileSync(join(next, "environ"), environ)
      // Another directory, as in /proc: also for the same pid.
      rmSync(directory, { recursive: true, force: true })
      renameSync(next, directory)
    }
    set(process.pid, 100, "HOME=/\0")
    const { marks = assert.fail("it has them") } = makeLinuxProcesses({
      ...files,
      read: (pid, name) => {
        if (pid !== process.pid) read.push(`${pid}/${name}`)
        return files.read(pid, name)
      }
    })
    const list = Effect.map(marks.list, (all) => ({
      found: all.map(({ pid, marks }) => [pid, ...marks]),
      read: read.splice(0).sort()
    }))
    return { set, list }
  })

  it.live("are read once for each process, not for each end of a run", () =>
    Effect.gen(function* () {
      const { set, list } = yield* ownProc
      set(41, 99, `${runMarker}=older`)
      set(42, 100, "HOME=/\0")
      set(43, 101, `HOME=/\0${runMarker}=one two\0LATER=1\0`)
      const all = ["41/stat", "42/environ", "42/stat", "43/environ", "43/stat"]
      assert.deepStrictEqual(yield* list, { found: [[43, "one", "two"]], read: all })
      assert.deepStrictEqual(yield* list, { found: [[43, "one", "two"]], read: [] })
    })
  )

  it.live("are read again for another process with the pid of one before", () =>
    Effect.gen(function* () {
      const { set, list } = yield* ownProc
      set(41, 99, "")
      set(42, 100, "HOME=/\0")
      set(43, 101, `${runMarker}=one\0`)
      yield* list
      set(41, 200, `${runMarker}=two\0`)
      set(42, 201, `${runMarker}=three\0`)
      set(43, 202, "HOME=/\0")
      assert.deepStrictEqual((yield* list).found, [
        [41, "two"],
        [42, "three"]
      ])
    })
  )

  it.live("are read again for a process without an environment, which may be about to become another program", () =>
    Effect.gen(function* () {
      const { set, list } = yield* ownProc
      set(42, 100, "")
      assert.deepStrictEqual(yield* list, { found: [], read: ["42/environ", "42/stat"] })
      assert.deepStrictEqual(yield* list, { found: [], read: ["42/environ", "42/stat"] })
    })
  )

  it.live("are unavailable on macOS and elsewhere, which the table states", () =>
    Effect.sync(() => {
      for (const { marks, notGuaranteed } of [makePsProcesses(), noProcessTable]) {
        assert.isUndefined(marks)
        assert.include(notGuaranteed, "ended")
      }
    })
  )
})

it.live("a realm is one boot and one pid namespace", () =>
  Effect.gen(function* () {
    const realm = yield* makeLinuxProcesses().realm
    assert.match(realm ?? "", /^[0-9a-f-]{36}\/pid:\[\d+\]$/)
    assert.strictEqual(yield* makeLinuxProcesses().realm, realm)
    assert.isUndefined(yield* noProcessTable.realm)
  })
)

/** In the form of `ps -A -o pid= -o ppid= -o state= -o lstart=` of macOS, in the C locale. */
const ofMac = `
    1     0 Ss   Fri Nov  6 07:59:58 2026    
  343     1 Ss   Fri Nov  6 08:00:21 2026    
61230 61190 S+   Sun Nov 22 12:51:11 2026    
61231 61230 Z    Sun Nov 22 12:51:12 2026    
61232 61230 ?Es  Sun Nov 22 12:51:12 2026    
ps: garbage
`

it("output of macOS's ps is parsed without zombies and other lines", () => {
  assert.deepStrictEqual(parseProcesses(ofMac), [
    { pid: 1, parent: 0, start: "Fri_Nov_6_07:59:58_2026" },
    { pid: 343, parent: 1, start: "Fri_Nov_6_08:00:21_2026" },
    { pid: 61230, parent: 61190, start: "Sun_Nov_22_12:51:11_2026" },
    { pid: 61232, parent: 61230, start: "Sun_Nov_22_12:51:12_2026" }
  ])
})
