/** `reins serve` whose directory is removed and made again while it serves. */
import { mkdirSync, rmSync } from "node:fs"
import { expect, it } from "vitest"
import { chatOf, logOf, makeRoom, saying, script, startServe } from "./room.ts"

it("goes on: a new conversation is told that its directory is missing, and works when it is there again", async () => {
  const room = makeRoom()
  try {
    const { child, page, ended } = await startServe(room)
    const open = chatOf(page)
    await open.say(script({ say: "one;" }))
    await open.shows(saying("one;"))
    rmSync(room.work, { recursive: true })
    const refused = chatOf(page)
    await refused.say(script({ say: "two;" }))
    await refused.shows(/workingDirectory: [^}]*does not exist/)
    await open.say(script({ say: "three;" }))
    await open.shows(saying("three;"))
    mkdirSync(room.work)
    await refused.say(script({ say: "four;" }))
    await refused.shows(saying("four;"))
    child.kill("SIGTERM")
    const { code, stderr } = await ended
    expect(code).toBe(0)
    expect(logOf(stderr).filter(({ level }) => level !== "info")).toEqual([])
  } finally {
    room.remove()
  }
}, 60_000)
