/** Directories are made with all that is missing, and where none can be made that is said at once. */
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { makeDirectories } from "../../../src/system/process/privateFiles.ts"

describe("a directory", () => {
  const root = mkdtempSync(join(tmpdir(), "reins-made-"))
  afterAll(() => rmSync(root, { recursive: true }))

  it("is made with those above it, for its owner alone, and left as it is the second time", () => {
    const path = join(root, "a/b/c")
    for (let time = 0; time < 2; time++) makeDirectories(path, 0o700)
    expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(statSync(join(root, "a")).mode & 0o777).toBe(0o700)
  })

  it.skipIf(!existsSync("/proc/self"))("cannot be made in /proc, which is told", () => {
    expect(() => makeDirectories("/proc/x/y", 0o700)).toThrow(/ENOENT/)
  })

  it("cannot be made in a file, or behind a link to nothing", () => {
    writeFileSync(join(root, "file"), "")
    symlinkSync(join(root, "nowhere"), join(root, "link"))
    expect(() => makeDirectories(join(root, "file/x"), 0o700)).toThrow(/ENOTDIR/)
    expect(() => makeDirectories(join(root, "link/x"), 0o700)).toThrow(/ENOENT/)
  })
})
