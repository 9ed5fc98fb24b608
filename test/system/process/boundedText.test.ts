/** Head and tail of a stream of bytes, however long it is. */
import { assert, describe, it } from "vitest"
import { stripControls } from "../../../src/contract/text/harmless.ts"
import { makeBoundedText } from "../../../src/system/process/output.ts"
import { makeRedactor } from "../../../src/system/process/redactor.ts"

const collect = (
  chunks: ReadonlyArray<string | Uint8Array>,
  head = 10,
  tail = 20,
  secrets: ReadonlyArray<string> = []
) => {
  const text = makeBoundedText(head, tail)
  for (const chunk of chunks) text.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk)
  return text.text(makeRedactor(secrets))
}

describe("bounded text", () => {
  it("is whole while it fits, whatever the chunks", () => {
    assert.strictEqual(collect([]), "")
    assert.strictEqual(collect(["hello"]), "hello")
    assert.strictEqual(collect(["0123456789", "abcdefghijklmnopqrst"]), "0123456789abcdefghijklmnopqrst")
    assert.strictEqual(collect([..."0123456789abcdefghijklmnopqrst"]), "0123456789abcdefghijklmnopqrst")
  })

  it("leaves out the middle and says how much", () => {
    const all = `HEAD${"x".repeat(100)}TAIL`
    const expected = `HEAD${"x".repeat(6)}\n… 78 characters left out …\n${"x".repeat(16)}TAIL`
    assert.strictEqual(collect([all]), expected)
    assert.strictEqual(collect([...all]), expected)
  })

  it("counts what was dropped over all chunks", () => {
    assert.include(collect(Array.from({ length: 1_000 }, () => "0123456789")), "… 9970 characters left out …")
  })

  it("decodes a character that is split over two chunks", () => {
    const bytes = new TextEncoder().encode("a🎉b")
    assert.strictEqual(collect([bytes.subarray(0, 3), bytes.subarray(3)]), "a🎉b")
  })

  it("stays small", () => {
    const text = makeBoundedText()
    const chunk = new TextEncoder().encode("y".repeat(65_536))
    for (let index = 0; index < 1_000; index++) text.push(chunk)
    assert.isBelow(text.text(makeRedactor([])).length, 17_000)
  })

  it("shows no part of a secret, wherever it is cut", () => {
    const secret = "s3cr3t-v4lue"
    for (let at = 0; at < 140; at++) {
      const reported = collect([`${".".repeat(at)}${secret}${".".repeat(140 - at)}`], 40, 60, [secret])
      for (let from = 0; from <= secret.length - 4; from++) assert.notInclude(reported, secret.slice(from, from + 4))
    }
  })

  it("has no blank ends, no colours and no control characters", () => {
    assert.strictEqual(collect(["\n \u001b[31mred\u001b[0m\u0007 \n"]), "red")
  })
})

describe("stripControls", () => {
  const table: ReadonlyArray<readonly [string, string, string]> = [
    ["colours", "\u001b[1;31mred\u001b[0m", "red"],
    ["a cursor movement", "a\u001b[2K\u001b[1Gb", "ab"],
    ["a title", "\u001b]0;my title\u0007text", "text"],
    ["a link", "\u001b]8;;https://x.example\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["a lone escape", "a\u001bZb", "ab"],
    ["bell, NUL, backspace, delete", "a\u0000\u0007\u0008\u007fb", "ab"],
    ["eight-bit controls", "a\u009b31mb\u0085c", "a31mbc"],
    ["a carriage return", "a\r\nb", "a\nb"],
    ["tabs and newlines stay", "a\tb\nc", "a\tb\nc"],
    ["other scripts stay", "日本語 🎉 é", "日本語 🎉 é"]
  ]

  it.each(table)("%s", (_, text, expected) => {
    assert.strictEqual(stripControls(text), expected)
  })
})
