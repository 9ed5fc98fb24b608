/**
 * Every TypeScript block of the README is compiled against the built package and run, as a stranger's project would:
 * by its name. `claude` on PATH is the demo agent here.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const readme = readFileSync(join(root, "README.md"), "utf8")
const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code)

// Inside the project, so that its own name resolves to its own build.
mkdirSync(join(root, ".cache"), { recursive: true })
const directory = mkdtempSync(join(root, ".cache", "readme-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const bin = join(directory, "bin")
mkdirSync(bin)
const demo = join(root, "fixtures/programs/demo-agent.mjs")
writeFileSync(join(bin, "claude"), `#!/bin/sh\nexec '${process.execPath}' '${demo}' "$@"\n`)
chmodSync(join(bin, "claude"), 0o755)

const files = examples.map((code, index) => {
  const file = join(directory, `example-${index + 1}.mts`)
  writeFileSync(file, code)
  return file
})

describe("the examples of the README", () => {
  it("are there", () => expect(files.length).toBeGreaterThan(2))

  it("compile strictly", () => {
    const config = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: { types: ["node"], skipLibCheck: true },
      include: [],
      files
    }
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(config))
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", directory], { encoding: "utf8" })
    expect([stdout, status]).toEqual(["", 0])
  })

  it.each([
    [1, /session[\s\S]*text[\s\S]*done[\s\S]*completed [\s\S]*no model/],
    [2, /no model[\s\S]*\d+ 0\n/],
    [3, /^NotInstalled not_installed failed\n$/],
    [4, /no model/],
    // What a rule asks is asked at once, wherever its listener is.
    [5, /^(?=[\s\S]*^\$ node --version\n)[\s\S]*permission_request\n[\s\S]*permission_decision\n[\s\S]*turn_done\n/m],
    [6, /no model[\s\S]*completed \d+\n$/],
    [7, /^You said hello\.\n$/],
    [8, /^Passed\n$/],
    [9, /^There is a\.txt\. what is here\?\n$/],
    [10, /^a\.txt\n$/],
    [11, /^completed\n$/],
    [12, /no model/]
  ])("run: example %i", (number, expected) => {
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"]}`, REINS_DEMO_PACE_MS: "0" }
    const file = files[number - 1] ?? ""
    expect(execFileSync(process.execPath, [file], { encoding: "utf8", env })).toMatch(expected)
  })
})
