/** Lines that wait on disk: they come back as they were, from a file that no directory names. */
import { readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { openSpill, type Spill } from "../../../src/system/process/spill.ts"
import { openFilesIn, ownTmpdir } from "../../kit/files.ts"

const spillOf = (bufferBytes?: number) =>
  Effect.acquireRelease(
    Effect.sync(() => openSpill(bufferBytes)),
    ({ close }) => Effect.sync(close)
  )

/** Every line goes to the disk at once. */
const spill = spillOf(0)

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

  it.effect("gives lines in order although some are written between reads", () =>
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

  it.effect.each([10, 100, 1_000, undefined] as const)(
    "gathers lines in %s bytes and keeps their order",
    (bufferBytes) =>
      Effect.gen(function* () {
        const file = yield* spillOf(bufferBytes)
        const lines = Array.from({ length: 200 }, (_, index) => `${index}${"日".repeat(index)}`)
        for (const line of lines.slice(0, 150)) file.write(line)
        const first = file.read(50)
        assert.isNotEmpty(first)
        for (const line of lines.slice(150)) file.write(line)
        assert.deepStrictEqual([...first, ...readAll(file, 50)], lines)
      })
  )

  it.effect("has no name in the file system, and is gone when it is closed", () =>
    Effect.gen(function* () {
      const directory = yield* ownTmpdir
      const { write, close } = openSpill(1_000)
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
