/** Which processes are marked by which run. Linux only, as it is read from /proc. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { assert, describe, it } from "vitest"
import { runMarker } from "../../src/contract/Plan.ts"
import { listMarked } from "../../src/process/processTable.ts"

describe("the processes that are marked", () => {
  it("are told with all their runs, until they are gone", async () => {
    const marks = ["outer-run", crypto.randomUUID()]
    const child = spawn("/bin/sh", ["-c", "echo; read -r line"], { env: { [runMarker]: marks.join(" ") } })
    await once(child.stdout, "data")
    const found = async () => (await listMarked()).filter(({ pid }) => pid === child.pid)
    const [one, ...others] = await found()
    assert.deepInclude(one, { parent: process.pid, marks })
    assert.isEmpty(others)
    child.stdin.end()
    await once(child, "exit")
    assert.isEmpty(await found())
  })

  it("are looked for once for all who ask in one turn, and anew for who asks later", async () => {
    const first = listMarked()
    assert.strictEqual(listMarked(), first)
    await first
    assert.notStrictEqual(listMarked(), first)
  })
})
