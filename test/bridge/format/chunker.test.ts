/** Chunks of a text that arrives. */
import { describe, expect, it } from "vitest"
import { type ChunkerOptions, makeChunker } from "../../../src/bridge/format/chunker.ts"

/** The chunks after each delta, and at the end. */
const chunks = (options: ChunkerOptions, deltas: ReadonlyArray<string>) => {
  const chunker = makeChunker(options)
  let state = chunker.start
  const input = deltas.map((delta) => {
    const [next, ready] = chunker.step(state, delta)
    state = next
    return ready.map(({ markdown }) => markdown)
  })
  return [...input, chunker.end(state).map(({ markdown }) => markdown)]
}

describe("a chunk", () => {
  it.each([
    ["is given at the end", {}, ["ab", "cd"], [[], [], ["abcd"]]],
    ["is not given at exactly the limit", { limit: 4 }, ["ab", "cd"], [[], [], ["abcd"]]],
    ["is given once there is more", { limit: 5 }, ["ab ", "cdef"], [[], ["ab "], ["cdef"]]],
    ["may be several at once", { limit: 3 }, ["aa bb cc"], [["aa ", "bb "], ["cc"]]],
    ["ends with a paragraph", { limit: 9 }, ["ab\n\ncd ef", "g"], [[], ["ab\n\n"], ["cd efg"]]],
    [
      "comes earlier with a minimum",
      { limit: 99, minimum: 4 },
      ["ab\n\n", "c\n\nd", "e"],
      [["ab\n\n"], [], [], ["c\n\nde"]]
    ],
    [
      "is not cut in code by a minimum",
      { limit: 99, minimum: 4 },
      ["```\na\n\nb\n", "```\n\nc"],
      [[], ["```\na\n\nb\n```\n\n"], ["c"]]
    ],
    [
      "ends before code",
      { limit: 20 },
      ["abc\n", "```\nde\n", "fghijkl\n```"],
      [[], [], ["abc\n"], ["```\nde\nfghijkl\n```"]]
    ],
    [
      "of longer code is closed and opened again",
      { limit: 20 },
      ["```js\nabcd\n", "efghij\nklm"],
      [[], ["```js\nabcd\n```"], ["```js\nefghij\nklm"]]
    ],
    ["waits for the second half of a character", { limit: 2 }, ["ab\ud83d", "\ude00"], [[], ["ab"], ["\ud83d\ude00"]]],
    ["is empty for white space at the end", {}, [" \n"], [[], []]],
    ["is empty for nothing", {}, [], [[]]]
  ] as ReadonlyArray<readonly [string, ChunkerOptions, ReadonlyArray<string>, ReadonlyArray<ReadonlyArray<string>>]>)(
    "%s",
    (_, options, deltas, expected) => expect(chunks(options, deltas)).toEqual(expected)
  )
})
