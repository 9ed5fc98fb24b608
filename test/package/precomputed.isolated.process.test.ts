/** Help and version, which the build has printed, are what the whole program prints, and need nothing but their file. */
import { spawnSync } from "node:child_process"
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { root } from "../house/sources.ts"
import { runHere } from "../program/programHere.ts"

const texts: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(root, "dist/precomputed.json"), "utf8"))
const plain = (text: string | undefined) => text?.replace(/\x1b\[[\d;]*m/g, "")

const folder = mkdtempSync(join(tmpdir(), "reins-precomputed-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** The program without its rest. */
const entry = () => {
  for (const file of globSync("dist/{program,plain-first-*}.js", { cwd: root }).concat("dist/precomputed.json")) {
    cpSync(join(root, file), join(folder, file))
  }
  return (...args: ReadonlyArray<string>) =>
    spawnSync(process.execPath, [join(folder, "dist/program.js"), ...args], { encoding: "utf8" })
}

describe("the precomputed answers", () => {
  it.each(Object.entries(texts).map(([line, text]) => ({ line, text })))("reins $line", async ({ line, text }) => {
    const { code, stdout } = await runHere(line === "" ? [] : line.split(" "))
    assert.deepStrictEqual({ code, stdout }, { code: 0, stdout: plain(text) ?? "" })
  })

  it("are printed without the rest of the program, and everything else is not", () => {
    const run = entry()
    assert.strictEqual(run("--version").stdout, plain(texts["--version"]))
    assert.strictEqual(run("run", "-h").stdout, plain(texts["run --help"]))
    assert.strictEqual(run().stdout, plain(texts[""]))
    for (const args of [
      ["run", "--version"],
      ["run", "hello"],
      ["run", "--help", "--agent", "claude"],
      ["--help", "x"],
      ["sessions list", "--help"],
      ["constructor"],
      ["run", "__proto__", "toString"],
      ["constructor", "--help"]
    ]) {
      assert.match(run(...args).stderr, /Cannot find module/, args.join(" "))
    }
  })
})
