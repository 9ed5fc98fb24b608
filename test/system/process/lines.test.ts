/** Bytes → lines, whatever the chunking. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Line, makeLineSplitter } from "../../../src/system/process/lines.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const line = (text: string): Line => ({ _tag: "Line", text })

const split = (chunks: ReadonlyArray<Uint8Array>, maxLineBytes = 1_000) => {
  const splitter = makeLineSplitter(maxLineBytes)
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()]
}

const cut = (all: Uint8Array, size: number) =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.subarray(index * size, (index + 1) * size))

describe("lines", () => {
  const table: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    ["nothing", "", []],
    ["one line", "a\n", ["a"]],
    ["a last line without its newline", "a\nb", ["a", "b"]],
    ["blank lines", "\n\na\n\n", ["", "", "a", ""]],
    ["CRLF stays for the reader", "a\r\nb\r\n", ["a\r", "b\r"]],
    ["a BOM is taken off", "\ufeffa\n", ["a"]],
    ["only a newline ends a line", "a\u2028b\u2029c\u0085d\re\n", ["a\u2028b\u2029c\u0085d\re"]],
    ["characters of all lengths", "aä日🎉\n👩‍👩‍👧\n", ["aä日🎉", "👩‍👩‍👧"]]
  ]

  it.each(table)("%s", (_, text, expected) => {
    const all = bytes(text)
    for (const size of [1, 2, 3, 4, 5, 1_000]) assert.deepStrictEqual(split(cut(all, size)), expected.map(line))
  })

  it("come as soon as they are complete", () => {
    const splitter = makeLineSplitter(1_000)
    assert.deepStrictEqual(splitter.push(bytes("a\nb")), [line("a")])
    assert.deepStrictEqual(splitter.push(bytes("c\n")), [line("bc")])
    assert.deepStrictEqual(splitter.end(), [])
  })

  it("broken UTF-8 loses only its own characters", () => {
    assert.deepStrictEqual(split([Uint8Array.of(0x61, 0xff, 0x62, 0x0a), bytes("fine\n")]), [
      line("a\ufffdb"),
      line("fine")
    ])
    assert.deepStrictEqual(split([Uint8Array.of(0x61, 0xe6, 0x97)]), [line("a\ufffd")])
  })

  it.prop("any chunking gives the same lines", [Schema.Array(Schema.String), Schema.Array(Schema.Natural)], (input) => {
    const [texts, cuts] = input
    const all = bytes(texts.join("\n"))
    const places = [...new Set(cuts.map((place) => place % (all.length + 1)))].sort((a, b) => a - b)
    const chunks = [0, ...places].map((from, index) => all.subarray(from, places[index] ?? all.length))
    assert.deepStrictEqual(split(chunks, Number.MAX_SAFE_INTEGER), split([all], Number.MAX_SAFE_INTEGER))
  })
})

describe("a line over the limit", () => {
  it("is replaced by its size and head, and the next one is intact", () => {
    for (const size of [1, 7, 10_000]) {
      const found = split(cut(bytes(`before\n${"ä".repeat(600)}\nafter\n`), size))
      assert.deepStrictEqual(found, [
        line("before"),
        { _tag: "Oversize", bytes: 1_200, head: "ä".repeat(200) },
        line("after")
      ])
    }
  })

  it("may be the last, without its newline", () => {
    assert.deepStrictEqual(split(cut(bytes("x".repeat(1_001)), 100)), [
      { _tag: "Oversize", bytes: 1_001, head: "x".repeat(200) }
    ])
  })

  it("begins one byte over it", () => {
    for (const text of ["x".repeat(1_000), "ä".repeat(500), `${"日".repeat(333)}x`]) {
      for (const size of [1, 7, 400, 10_000]) {
        assert.deepStrictEqual(split(cut(bytes(`${text}\n`), size)), [line(text)])
        assert.deepInclude(split(cut(bytes(`${text}x\n`), size))[0], { _tag: "Oversize", bytes: 1_001 })
      }
    }
  })

  it("twice in a row gives two", () => {
    const big = "x".repeat(1_500)
    assert.deepStrictEqual(
      split(cut(bytes(`${big}\n${big}\nok\n`), 64)).map(({ _tag }) => _tag),
      ["Oversize", "Oversize", "Line"]
    )
  })
})
