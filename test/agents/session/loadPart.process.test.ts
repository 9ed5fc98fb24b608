/** A host that may open no more files cannot load what its tools need: the session fails by a reason, and the next opens. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const host = fileURLToPath(new URL("hosts/noFiles.ts", import.meta.url))

describe("tools in a host without files to open", () => {
  it.each([
    ["gemini", "by a server"],
    ["claude", "in the dialogue"]
  ])("are refused for %s, which has them %s, until there are files again", (id) => {
    const args = ["-c", 'ulimit -n 64 && exec "$@"', "sh", process.execPath, host, id, "/no/such/program"]
    const [first, second] = JSON.parse(execFileSync("sh", args, { encoding: "utf8" }))
    assert.deepInclude(first, { _tag: "SpawnFailed", retryable: true })
    assert.include(first.message, "its tools cannot be offered: this process cannot open more files")
    assert.deepInclude(second, { _tag: "NotInstalled" })
  })
})
