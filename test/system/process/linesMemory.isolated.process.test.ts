/** The cost of a line over the limit: measured, so in a process of its own. */
import { assert, describe, it } from "vitest"
import { makeLineSplitter } from "../../../src/system/process/lines.ts"
import { heldBytes } from "../../kit/heap.ts"

describe("a line over the limit", () => {
  it("is not kept in memory while it comes", () => {
    const splitter = makeLineSplitter(1_000)
    const before = heldBytes()
    // A chunk of its own each time: one that were pushed again and again could be kept at no cost.
    for (let index = 0; index < 200; index++) splitter.push(new Uint8Array(1_000_000).fill(120))
    assert.isBelow(heldBytes() - before, 20_000_000)
    assert.deepStrictEqual(splitter.end(), [{ _tag: "Oversize", bytes: 200_000_000, head: "x".repeat(200) }])
  })
})
