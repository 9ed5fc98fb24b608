/** Unlikely answers: each becomes pieces. */
import { describe, expect, it } from "vitest"
import { cut } from "../../../src/bridge/format/cut.ts"
import { cutMarkdown } from "../../../src/bridge/format/cutMarkdown.ts"
import { plainText, richText, sameText } from "../../../src/bridge/format/richText.ts"

import { assertCut, assertHarmless, assertSound } from "./laws.ts"

const row = (cell: string) => `|${`${cell}|`.repeat(40)}\n`

const inputs: Readonly<Record<string, string>> = {
  "4,096 emoji": "👍".repeat(4_096),
  "4,096 families": "👩‍👩‍👧".repeat(4_096),
  "lone surrogates": "\ud800\udc00\udc00\ud800 ".repeat(2_000),
  "no width": "a\u200b\u200d\ufeff".repeat(2_000),
  "from right to left": "שלום עולם ".repeat(2_000),
  "what turns round": "\u202eabc\u202c ".repeat(2_000),
  NUL: "\0".repeat(5_000),
  "42 kB": "A sentence of an answer. ".repeat(1_700),
  "42 kB without a space": "a".repeat(42_000),
  "42 kB of code": `\`\`\`ts\n${"const line = 1\n".repeat(2_800)}\`\`\`\n`,
  "0 bytes": "",
  "only a fence": "```",
  "an unclosed fence": `a\n\`\`\`js\n${"b\n".repeat(5_000)}`,
  "a table of 40 columns": row("head") + row("---") + row("cell").repeat(100),
  "3,000 links": "[a link](https://host.example/path) ".repeat(3_000),
  "letters with 5,000 accents": `a${"\u0301".repeat(5_000)}`,
  "5,000 definitions": Array.from({ length: 5_000 }, (_, at) => `[${at}]: https://a.bc/${at}\n`).join(""),
  "lists inside each other": Array.from({ length: 300 }, (_, at) => `${" ".repeat(at)}- a\n`).join("")
}

describe.each(Object.entries(inputs))("%s", (_, markdown) => {
  it("becomes pieces", () => {
    const rich = richText(markdown)
    assertSound(rich)
    assertHarmless(rich)
    for (const limit of [4_096, 40]) assertCut(rich, cut(rich, limit), limit)
  })

  it("becomes pieces of Markdown", () => {
    for (const limit of [4_000, 40]) {
      const pieces = cutMarkdown(markdown, limit)
      expect(pieces.every((piece) => piece.length <= limit && piece.trim() !== "")).toBe(true)
    }
  })
})

describe("the same text", () => {
  it.each([
    ["as it is", "a b", "a b", true],
    ["with other white space", " a\n\n b\u00a0c ", "a b c", true],
    ["with letters put together", "e\u0301", "é", true],
    ["with other letters", "a", "A", false],
    ["as a part", "a b", "a", false],
    ["with other marks", "**a**", "a", false]
  ])("%s", (_, a, b, expected) => expect(sameText(a, b)).toBe(expected))

  it("is found behind the marks by its plain text", () => {
    expect(sameText(plainText("**a**\n- b"), plainText("__a__\n* b"))).toBe(true)
  })
})
