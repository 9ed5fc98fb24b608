/** The examples are run as a stranger's program would be: by Node alone, over the built package, by its name. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = join(root, "test/testing/examples")
const tmp = mkdtempSync(join(tmpdir(), "test-"))
afterAll(() => rmSync(tmp, { recursive: true, force: true }))

const printed: Readonly<Record<string, string>> = {
  "plain.ts": "I look. There is a.txt.\n[ 'what is here?' ]\n",
  "effect.ts": "[ 'Hello!', true ]\n",
  "failure.ts": 'rate_limit RESOURCE_EXHAUSTED "So far "\ntimeout timeout_tool ""\n',
  "onPath.ts": "Looks good.\n{ code: 97 }\n",
  "replay.ts": "none One. Two.\nrecorded One. Two.\n"
}

describe("the examples of fake CLIs", () => {
  it("compile strictly", () => {
    const config = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: { typeRoots: [join(root, "node_modules/@types")] },
      include: [folder],
      exclude: []
    }
    writeFileSync(join(tmp, "tsconfig.json"), JSON.stringify(config))
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", tmp], { encoding: "utf8" })
    assert.deepStrictEqual([stdout, status], ["", 0])
  })

  it.each(Object.entries(printed))("%s", (name, expected) => {
    const env = { ...process.env, TMPDIR: tmp }
    const stdout = execFileSync(process.execPath, [join(folder, name)], { encoding: "utf8", env })
    assert.strictEqual(stdout, expected)
    assert.isAtMost(readFileSync(join(folder, name), "utf8").split("\n").length, 26)
  })

  it("leave no fake behind", () => {
    assert.deepStrictEqual(
      readdirSync(tmp).filter((name) => name.startsWith("reins-")),
      []
    )
  })
})
