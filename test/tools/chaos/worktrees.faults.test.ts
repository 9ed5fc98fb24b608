/** Hosts that are killed at calls of git: nothing is lost or half done, and the person's index and files are as before. */
import { assert, describe, it } from "vitest"
import { killEverywhere, makeWorld } from "../../../tools/chaos/worktrees/campaign.ts"
import type { WorktreeRoom } from "../../../tools/chaos/worktrees/room.ts"

const files = { "src/f1.txt": "agent\n", "new/a.txt": "agent\n", "src/f2.txt": null }

const begun = ({ run }: WorktreeRoom) => run({ operation: "turn", conversation: "one", files }, undefined)

describe("a host that is killed loses nothing while", () => {
  it("it makes a worktree", { timeout: 300_000 }, async () => {
    const { kills, findings } = await killEverywhere("turn", async () => {}, { every: 24, files })
    assert.deepStrictEqual(findings, [])
    assert.isAtLeast(kills, 2)
  })

  it.each(["apply", "commit", "discard", "remove"] as const)("it does: %s", { timeout: 300_000 }, async (operation) => {
    const { kills, findings } = await killEverywhere(operation, begun, { every: 40, expected: files })
    assert.deepStrictEqual(findings, [])
    assert.isAtLeast(kills, 1)
  })
})

it("sees files that are lost, an index that is written, and a working tree that is changed", async () => {
  const world = makeWorld()
  try {
    await begun(world.room)
    world.expect("one", { "src/f1.txt": "another\n" })
    const step = { operation: "changes", conversation: "one", files: {}, death: undefined } as const
    const lost = await world.take(step)
    assert.deepStrictEqual([...new Set(lost.map(({ kind }) => kind))], ["lost"])
    world.expect("one", {})
    const taking = world.take(step)
    world.room.put("src/f3.txt", "by the operation\n")
    world.room.git("add", "src/f3.txt")
    const kinds = (await taking).map(({ kind }) => kind)
    assert.includeMembers(kinds, ["index", "file"])
  } finally {
    world.room.remove()
  }
})
