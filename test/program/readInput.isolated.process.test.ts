/** Files that flags name, and stdin: one that is not a regular file, or too large, is refused at once. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it as effectIt } from "@effect/vitest"
import { Effect, Stdio, Stream } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { maxBytes, readFile, readStdin } from "../../src/program/readInput.ts"
import { runProgram } from "./programProcess.ts"

const directory = mkdtempSync(join(tmpdir(), "reins-input-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const fifo = join(directory, "fifo")
execFileSync("mkfifo", [fifo])

/** Sparse: takes no room on the disk. */
const ofSize = (name: string, bytes: number) => {
  const path = join(directory, name)
  writeFileSync(path, "")
  truncateSync(path, bytes)
  return path
}
const huge = ofSize("huge", 1024 ** 3)

describe("a file", () => {
  effectIt.effect.each([
    ["is not there", join(directory, "none"), "the file does not exist"],
    ["is a directory", directory, "is a directory"],
    ["is a FIFO without a writer", fifo, "is not a regular file, but a pipe or a device"],
    ["is a device without an end", "/dev/zero", "is not a regular file, but a pipe or a device"],
    ["is too large", huge, "is larger than 5 MiB"],
    ["is too large by a byte", ofSize("over", maxBytes.config + 1), "is larger than 5 MiB"]
  ] as const)("that %s is refused", ([, path, problem]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(readFile("--mcp-config", path, maxBytes.config))
      assert.deepStrictEqual([error.option, error.problem], ["--mcp-config", `${path}: ${problem}`])
    })
  )

  effectIt.effect("that just fits is read whole", () =>
    Effect.gen(function* () {
      const text = yield* readFile("FILE", ofSize("fits", maxBytes.config), maxBytes.config)
      assert.strictEqual(text.length, maxBytes.config)
    })
  )
})

describe("stdin", () => {
  const from = (stdin: Stream.Stream<Uint8Array>) =>
    Effect.provideServiceEffect(
      readStdin("prompt", 10),
      Stdio.Stdio,
      Effect.succeed(Stdio.make({ args: Effect.succeed([]), stdin, stdout: never, stderr: never }))
    )
  const never = () => {
    throw new Error("nothing is written")
  }
  const bytes = (text: string) => new TextEncoder().encode(text)

  effectIt.effect("is read to its end, whatever its pieces", () =>
    Effect.gen(function* () {
      const [first, second] = [bytes("ünï").slice(0, 1), bytes("ünï").slice(1)]
      assert.strictEqual(yield* from(Stream.fromIterable([first, second])), "ünï")
    })
  )

  effectIt.effect("without an end is refused", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(from(Stream.forever(Stream.succeed(bytes("abc")))))
      assert.match(error.problem, /^stdin: has more than/)
    })
  )
})

describe("the program", () => {
  it.each([
    ["--mcp-config", ["run", "--json", "--mcp-config", fifo, "hi"]],
    ["--output-schema", ["run", "--json", "--output-schema", "/dev/zero", "hi"]],
    ["--mcp-config of a chat", ["chat", "--json", "--mcp-config", directory]],
    ["FILE", ["replay", "--json", huge]],
    ["FILE, a FIFO", ["replay", "--json", fifo]]
  ])("refuses %s at once: on stderr alone, exit 2", async (_, args) => {
    const { code, stdout, stderr } = await runProgram(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/: is (a|no|larger)/)
  })
})
