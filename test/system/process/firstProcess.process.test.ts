/** The library as process 1 of a namespace, and below one that reaps. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { script } from "../../../src/program/reapingParent.ts"
import { ownNamespace } from "../../kit/guardedHost.ts"

const host = fileURLToPath(new URL("hosts/firstProcess.ts", import.meta.url))

if (ownNamespace === undefined) console.warn("SKIPPED: no pid namespace can be made here, so process 1 is not tested")

const printedBy = async (by: ReadonlyArray<string> = []) => {
  const [command = "", ...args] = [...(ownNamespace ?? []), ...by, process.execPath, host]
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] })
  let printed = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text
    })
  }
  const [code] = await once(child, "close")
  assert.strictEqual(code, 0, printed)
  return printed
}

describe.skipIf(ownNamespace === undefined)("a host of the library", () => {
  it("that is process 1 warns once, with the cure; orphans are seen to stay", async () => {
    const printed = await printedBy()
    assert.lengthOf(printed.match(/this program is process 1/g) ?? [], 1)
    assert.match(printed, /docker run --init.*tini/)
    assert.match(printed, /reaped: false/)
  })

  it("below a process 1 that reaps warns of nothing; orphans are seen to go", async () => {
    const printed = await printedBy(["/bin/sh", "-c", script, "reins"])
    assert.notInclude(printed, "process 1")
    assert.match(printed, /reaped: true/)
  })
})
