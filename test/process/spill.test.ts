/** Lines that wait on disk: they come back as they were, from a file that no directory names. */
import { readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { openSpill, type Spill } from "../../src/process/spill.ts"
import { openFilesIn, ownTmpdir } from "../kit/files.ts"

const spill = Effect.acquireRelease(Effect.sync(openSpill), ({ close }) => Effect.sync(close))

/** All that is left, by reads of so many bytes. */
const readAll = ({ read }: Spill, bytes: number) => {
  const lines: Array<string> = []
  for (let next = read(bytes); next.length > 0; next = read(bytes)) lines.push(...next)
  return lines
}

describe("a spill", () => {
  it.effect.each([1, 2, 3, 5, 64, 1_000] as const)(
    "gives back what is longer than a read of %i bytes, and its neighbours",
    (readBytes) =>
      Effect.gen(function* () {
        const file = yield* spill
        const long = "aä日🎉".repeat(Math.ceil((3 * readBytes) / 10))
        assert.isAtLeast(Buffer.byteLength(long), 3 * readBytes)
        const lines = ["before", long, "", `${long}🎉`, "after"]
        for (const line of lines) file.write(line)
        assert.deepStrictEqual(readAll(file, readBytes), lines)
      })
  )

  it.effect("gives what is written between two reads behind what was written before", () =>
    Effect.gen(function* () {
      const file = yield* spill
      const long = "日".repeat(1_000)
      for (const line of ["one", "two", long]) file.write(line)
      assert.deepStrictEqual(file.read(6), ["one"])
      file.write("last")
      assert.deepStrictEqual(readAll(file, 6), ["two", long, "last"])
      assert.deepStrictEqual(file.read(6), [])
      file.write("again")
      assert.deepStrictEqual(file.read(6), ["again"])
    })
  )

  it.effect("has no name while it is full, and is gone when it is closed", () =>
    Effect.gen(function* () {
      const directory = yield* ownTmpdir
      const { write, close } = openSpill()
      write("x".repeat(100_000))
      const names = readdirSync(directory)
      const open = openFilesIn(directory)
      close()
      assert.deepStrictEqual(names, [])
      assert.strictEqual(open.length, 1)
      assert.match(open[0] ?? "", /\/reins-spill-[^/]+ \(deleted\)$/)
      assert.deepStrictEqual(openFilesIn(directory), [])
    })
  )
})
