/** Deltas and wholes of the main thread: nothing twice, nothing lost, and abandoned text is withdrawn exactly. */
import { assert, describe, it } from "vitest"
import { makeStreams, type StreamedKind, type Streams } from "../../../../src/cli/claude/run/streams.ts"

const input = (...deltas: ReadonlyArray<readonly [string, number, StreamedKind, string]>) => {
  const streams = makeStreams()
  for (const [id, index, kind, text] of deltas) {
    const events = streams.delta({ type: "content_block_delta", index, delta: { type: kind, [kind]: text } }, id)
    assert.deepStrictEqual(events, [{ type: kind, text }])
  }
  return streams
}

const settle = (streams: Streams, id: string, kind: StreamedKind, whole: string) => {
  const { voided, missing } = streams.settle(id, kind, whole)
  return { voided, missing, textLength: streams.textLength() }
}

describe("a whole", () => {
  it("brings nothing when its deltas were complete", () => {
    const { voided, missing, textLength } = settle(
      input(["m", 0, "text", "Hel"], ["m", 0, "text", "lo"]),
      "m",
      "text",
      "Hello"
    )
    assert.deepStrictEqual([voided, missing, textLength], [0, "", 5])
  })

  it("brings the missing end", () => {
    const { voided, missing, textLength } = settle(input(["m", 0, "text", "Hel"]), "m", "text", "Hello")
    assert.deepStrictEqual([voided, missing, textLength], [0, "lo", 5])
  })

  it("that was never streamed comes whole", () => {
    const { voided, missing, textLength } = settle(input(["m", 0, "text", "a"]), "other", "text", "Hello")
    assert.deepStrictEqual([voided, missing, textLength], [0, "Hello", 6])
  })

  it("that differs from its deltas replaces them", () => {
    const { voided, missing, textLength } = settle(input(["m", 0, "text", "Help"]), "m", "text", "Hello")
    assert.deepStrictEqual([voided, missing, textLength], [4, "Hello", 5])
  })

  it("that differs takes nothing back that is not the last text", () => {
    const earlier = settle(input(["m", 0, "text", "Help"], ["m", 1, "text", "more"]), "m", "text", "Hello")
    assert.deepStrictEqual([earlier.voided, earlier.missing, earlier.textLength], [0, "", 8])
    const thought = settle(input(["m", 0, "thinking", "Help"]), "m", "thinking", "Hello")
    assert.deepStrictEqual([thought.voided, thought.missing, thought.textLength], [0, "", 0])
  })

  it("belongs to the next open block of its kind, whatever stands between", () => {
    const streams = input(["m", 0, "thinking", "hm"], ["m", 1, "text", "one"], ["m", 3, "text", "two"])
    const first = settle(streams, "m", "text", "one")
    const second = settle(streams, "m", "text", "two!")
    assert.deepStrictEqual([first.missing, second.missing, second.textLength], ["", "!", 7])
    assert.deepStrictEqual(settle(streams, "m", "thinking", "hm").missing, "")
  })

  it("is not looked for among blocks of another kind", () => {
    const streams = input(["m", 0, "thinking", "a"], ["m", 1, "text", "ab"])
    assert.strictEqual(settle(streams, "m", "text", "abc").missing, "c")
  })

  it("of two equal blocks is not taken for the other's repetition", () => {
    const streams = input(["m", 0, "text", "same"])
    const first = settle(streams, "m", "text", "same")
    const second = settle(streams, "m", "text", "same")
    assert.deepStrictEqual([first.missing, second.missing, second.textLength], ["", "same", 8])
  })

  it("of thinking counts for no text", () => {
    const { missing, textLength } = settle(input(["m", 0, "thinking", "h"]), "m", "thinking", "hm")
    assert.deepStrictEqual([missing, textLength], ["m", 0])
  })
})

describe("an abandoned stream", () => {
  const begin = () => input(["m", 0, "text", "kept "], ["m", 1, "thinking", "hm"], ["m", 2, "text", "gone"])

  const abandon = (streams: Streams, id: string, from: number) => {
    const voided = streams.abandon(id, from)
    return [voided, streams.textLength()]
  }

  it("withdraws the text from the index on", () => {
    assert.deepStrictEqual(abandon(begin(), "m", 2), [4, 5])
  })

  it("withdraws all of it from the first index on, thinking not counted", () => {
    assert.deepStrictEqual(abandon(begin(), "m", 0), [9, 0])
  })

  it("withdraws nothing behind its last block, or of a message that is not known", () => {
    assert.deepStrictEqual(abandon(begin(), "m", 3), [0, 9])
    assert.deepStrictEqual(abandon(begin(), "other", 0), [0, 9])
  })

  it("withdraws once", () => {
    const streams = begin()
    abandon(streams, "m", 0)
    assert.deepStrictEqual(abandon(streams, "m", 0), [0, 0])
  })

  it("also withdraws finished blocks", () => {
    const streams = input(["m", 0, "text", "Hel"])
    settle(streams, "m", "text", "Hello")
    assert.deepStrictEqual(abandon(streams, "m", 0), [5, 0])
  })
})

it("keeps the last messages only", () => {
  const streams = input(...Array.from({ length: 100 }, (_, index) => [`m${index}`, 0, "text", "x"] as const))
  assert.strictEqual(streams.textLength(), 100)
  assert.strictEqual(settle(streams, "m99", "text", "x").missing, "")
  assert.strictEqual(settle(streams, "m0", "text", "x").missing, "x")
})
