/** Reading and cutting take a time that grows with the text alone, whatever is repeated. */
import { describe, expect, it } from "vitest"
import { cut } from "../../../src/bridge/format/cut.ts"
import { cutMarkdown } from "../../../src/bridge/format/cutMarkdown.ts"
import { richText } from "../../../src/bridge/format/richText.ts"

const row = (cell: string) => `|${`${cell}|`.repeat(40)}\n`

const repeated = [
  ..."[]()*_~`<>!|\\#-=&\n \t",
  ..."👍\u0301\u202e\0\ud800",
  "> ",
  "- ",
  "1. ",
  "**a ",
  "_a",
  "a*",
  "~a~~ ",
  "*a **b ",
  "`a ``",
  "![a](b)",
  "[a](",
  "[[a]](b) ",
  "[a][b] ",
  "[a]: b\n",
  "<a ",
  "<!--",
  "a@",
  "https://",
  "&a;",
  "```\n",
  "~~~\na\n",
  "x\n-\n",
  "a|b\n|-\n",
  "> a\nb\n",
  "- a\n  - b\n",
  row("a") + row("-") + row("b")
]

describe("takes a time that grows with the text alone", () => {
  it.each(repeated.map((piece) => [JSON.stringify(piece.slice(0, 20)), piece] as const))("%s", (_, piece) => {
    const markdown = piece.repeat(400_000 / piece.length)
    const startedAt = performance.now()
    cut(richText(markdown), 4_096)
    cutMarkdown(markdown)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })
})
