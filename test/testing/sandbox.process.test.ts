/** Settings that lead a real CLI to a scripted server; `test/real` proves that they do. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { ModelServer } from "../../src/testing.ts"

const ids = ["claude", "gemini", "codex", "opencode"] as const
const server = { url: "http://127.0.0.1:9" }

describe.each(ids)("a sandbox for %s", (cli) => {
  it("names the server, and has an invalid key", async () => {
    await using sandbox = await ModelServer.sandboxFor(cli, server, { path: "/bin" })
    const { env, files } = ModelServer.surroundingsOf(cli, { ...server, ...sandbox, path: "/bin" })
    expect(sandbox.values).toEqual(env)
    for (const [path, content] of Object.entries(files)) {
      expect(readFileSync(join(sandbox.home, path), "utf8")).toBe(content)
    }
    const all = JSON.stringify([env, files])
    expect(all).toContain(server.url)
    expect(all).toContain("made-up-key")
  })

  it("is made from nothing: no variable of this process comes in", async () => {
    process.env["ANTHROPIC_LEAK"] = "x"
    await using sandbox = await ModelServer.sandboxFor(cli, server, { path: "/bin" })
    const { HOME, TMPDIR, PATH } = sandbox.values
    expect([HOME, TMPDIR, PATH]).toEqual([sandbox.home, sandbox.tmp, "/bin"])
    expect(sandbox.values).not.toHaveProperty("ANTHROPIC_LEAK")
    expect(sandbox.env).toEqual({ policy: "allow-list", allow: [], values: sandbox.values })
  })

  it("is gone when it is disposed of", async () => {
    const sandbox = await ModelServer.sandboxFor(cli, server)
    expect(existsSync(sandbox.work)).toBe(true)
    await sandbox[Symbol.asyncDispose]()
    expect(existsSync(dirname(sandbox.home))).toBe(false)
  })
})
