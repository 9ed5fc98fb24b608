/**
 * Compiles the functions that a first run and a first live session of the plain door, and the program, call with their file:
 * two fifths less processor time for each, a fiftieth more for the import. What is called is not guessed: all are started,
 * and V8 counts.
 */
import { execFileSync } from "node:child_process"
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { versions } from "../../src/cli/versions.ts"
import { withEagerFunctions } from "./eagerFunctions.ts"

interface Coverage {
  readonly result: ReadonlyArray<{
    readonly url: string
    readonly functions: ReadonlyArray<{
      readonly ranges: ReadonlyArray<{
        readonly startOffset: number
        readonly endOffset: number
        readonly count: number
      }>
    }>
  }>
}

const folder = mkdtempSync(join(tmpdir(), "reins-build-"))

/** First on PATH, a CLI that prints a recording, or answers in a live session. */
const recording = resolve(`fixtures/claude/${versions.claude.testedVersion}/02-bash.ndjson`)
const live = resolve("fixtures/programs/live/claude.mjs")
writeFileSync(
  join(folder, "claude"),
  `#!/bin/sh
case "$*" in
  *--input-format*) exec '${process.execPath}' '${live}' "$@" ;;
  *) exec cat '${recording}' ;;
esac
`,
  { mode: 0o755 }
)

/** By the URL of a file: the places of its functions that were called. */
const calledBy = (...args: ReadonlyArray<string>): ReadonlyMap<string, ReadonlySet<string>> => {
  const counts = mkdtempSync(join(folder, "counts-"))
  const own = { HOME: folder, TMPDIR: folder, NODE_V8_COVERAGE: counts, NODE_DISABLE_COMPILE_CACHE: "1" }
  execFileSync(process.execPath, args, {
    env: { PATH: `${folder}${delimiter}${process.env["PATH"]}`, ...own },
    stdio: ["ignore", "ignore", "inherit"]
  })
  const called = new Map<string, Set<string>>()
  for (const name of readdirSync(counts)) {
    const { result }: Coverage = JSON.parse(readFileSync(join(counts, name), "utf8"))
    for (const { url, functions } of result) {
      const places = functions.flatMap(({ ranges: [whole] }) =>
        whole !== undefined && whole.count > 0 ? [`${whole.startOffset}-${whole.endOffset}`] : []
      )
      called.set(url, new Set([...(called.get(url) ?? []), ...places]))
    }
  }
  return called
}

try {
  const program = calledBy("dist/program.js", "run", "--agent", "claude", "--json", "hello")
  const door = calledBy("tools/build/firstRun.ts")
  const called = new Map([...program, ...door]) // a file that both load is as the door calls it: its import is not cached
  for (const file of globSync("dist/*.js")) {
    const places = called.get(pathToFileURL(file).href)
    if (places === undefined) continue
    const code = readFileSync(file, "utf8")
    const isCalled = (from: number, to: number) => places.has(`${from}-${to}`)
    writeFileSync(file, withEagerFunctions(code, isCalled))
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
