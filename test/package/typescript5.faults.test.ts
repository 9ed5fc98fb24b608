/** The packed package in a project with TypeScript 5.9, which is installed here. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "vitest"
import { compile, compileAlone, compileCommonJs, remove, resolutions } from "./project.ts"

afterAll(remove)

const folder = fileURLToPath(new URL("typescript5", import.meta.url))
const tsc = join(folder, "node_modules/typescript/bin/tsc")
const installed = existsSync(tsc) || spawnSync("npm", ["ci", "--silent", "--prefix", folder]).status === 0
if (!installed) console.error("SKIPPED: TypeScript 5.9 could not be installed, so the package was not compiled with it")

describe.skipIf(!installed)("TypeScript 5.9", () => {
  it.each(resolutions)("compiles a project with module %s, resolved by %s", (module, resolution) => {
    assert.deepStrictEqual(compile(tsc, module, resolution), { stdout: "", status: 0 })
  })

  it.each([
    ["nodenext", ""],
    ["node20", ""],
    ["node16", "TS1479"],
    ["commonjs", "TS2307"]
  ])("compiles a file of CommonJS with module %s, or says why not", (module, problem) => {
    const { stdout } = compileCommonJs(tsc, module)
    if (problem === "") assert.strictEqual(stdout, "")
    else assert.include(stdout, problem)
  })

  it("compiles a project of the plain door alone", () => {
    assert.deepStrictEqual(compileAlone(tsc), { stdout: "", status: 0 })
  })
})
