/**
 * What a first run of the plain door and the program calls is compiled with its file: two fifths less processor time for
 * that run, a thirtieth more for the import. What is called is not guessed: both are started, and V8 counts.
 */
import { execFileSync } from "node:child_process"
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
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
const counted = join(folder, "counted")

const start = (...args: ReadonlyArray<string>) =>
  execFileSync(process.execPath, args, {
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      TMPDIR: folder,
      NODE_V8_COVERAGE: counted,
      NODE_DISABLE_COMPILE_CACHE: "1"
    },
    stdio: ["ignore", "ignore", "inherit"]
  })

/** By file: the places of the functions that were called. */
const calledByFile = () => {
  const called = new Map<string, Set<string>>()
  for (const name of readdirSync(counted)) {
    const { result }: Coverage = JSON.parse(readFileSync(join(counted, name), "utf8"))
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
  start("build/firstRun.ts")
  start("dist/program.js", "run", "--agent", "demo", "--json", "hello")
  const called = calledByFile()
  for (const file of globSync("dist/*.js")) {
    const places = called.get(pathToFileURL(file).href)
    if (places === undefined) continue
    const code = readFileSync(file, "utf8")
    writeFileSync(
      file,
      withEagerFunctions(code, (from, to) => places.has(`${from}-${to}`))
    )
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
