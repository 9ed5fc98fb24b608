/**
 * The compiled code of the program is in a folder that no other user can write, or nowhere. The build has to be there.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { cacheFolder } from "../../src/program/compileCache.ts"
import { packageFile } from "../../src/system/process/packageFile.ts"

let home = ""
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "cache-"))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
})

describe("the folder", () => {
  const found = () => cacheFolder({ XDG_CACHE_HOME: join(home, "cache") })

  it("is made for the user alone", () => {
    assert.strictEqual(found(), join(home, "cache/reins/compiled"))
    for (const path of ["cache", "cache/reins", "cache/reins/compiled"])
      assert.strictEqual(statSync(join(home, path)).mode & 0o777, 0o700)
  })

  const traps: ReadonlyArray<readonly [string, () => void]> = [
    ["others may write the folder above it", () => chmodSync(join(home, "cache"), 0o777)],
    ["others may put another in the place of the one above it", () => chmodSync(home, 0o777)],
    ["its group may write it", () => chmodSync(join(home, "cache/reins/compiled"), 0o770)],
    [
      "it is a link",
      () => {
        rmSync(join(home, "cache/reins/compiled"), { recursive: true })
        symlinkSync(tmpdir(), join(home, "cache/reins/compiled"))
      }
    ],
    [
      "it is a file",
      () => {
        rmSync(join(home, "cache/reins"), { recursive: true })
        execFileSync("touch", [join(home, "cache/reins")])
      }
    ],
    ["the home is missing", () => rmSync(home, { recursive: true })]
  ]
  it.each(traps)("is absent if %s", (_, make) => {
    assert.isDefined(found())
    make()
    assert.isUndefined(found())
  })

  it("is absent if the user's folder would be in the working directory", () => {
    assert.isUndefined(cacheFolder({ XDG_CACHE_HOME: "cache", HOME: "home" }, () => undefined))
    assert.strictEqual(cacheFolder({ XDG_CACHE_HOME: "cache", HOME: home })?.startsWith(home), true)
  })

  it("is in the home of the password database without HOME, and absent for a user without a name", () => {
    assert.strictEqual(cacheFolder({}, () => home)?.startsWith(home), true)
    assert.isUndefined(cacheFolder({}, () => undefined))
  })
})

describe("reins schema", () => {
  const printed = (env: NodeJS.ProcessEnv) => {
    const { NODE_COMPILE_CACHE: _, ...own } = process.env
    const program = packageFile("dist/program.js")
    execFileSync(process.execPath, [program, "schema"], {
      stdio: "ignore",
      env: { ...own, XDG_CACHE_HOME: home, ...env }
    })
    return existsSync(join(home, "reins")) ? readdirSync(join(home, "reins/compiled"), { recursive: true }).length : 0
  }

  it("keeps what was compiled", () => assert.isAbove(printed({}), 3))
  it("keeps nothing where it is not to", () => assert.strictEqual(printed({ NODE_DISABLE_COMPILE_CACHE: "1" }), 0))
  it("keeps it where Node is told to", () => {
    mkdirSync(join(home, "other"))
    assert.strictEqual(printed({ NODE_COMPILE_CACHE: join(home, "other") }), 0)
    assert.isNotEmpty(readdirSync(join(home, "other")))
  })
})
