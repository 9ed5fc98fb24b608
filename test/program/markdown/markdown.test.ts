/** An answer on a terminal: rendered, wrapped by words, and the same however it came in pieces. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { begin, closeText } from "../../../src/program/blocks.ts"
import { markdownRows } from "../../../src/program/markdown/blockRows.ts"
import { openRows } from "../../../src/program/markdown/openText.ts"
import type { Surface } from "../../../src/program/style.ts"
import { draw } from "../../../src/program/transcript.ts"
import { anyDocument } from "../../bridge/format/documents.ts"
import { runs } from "../../kit/runs.ts"
import { bare, withNames } from "../transcriptEvents.ts"

const surfaceOf = (columns: number, color = false): Surface => ({ live: true, color, columns })

const rows = (markdown: string, columns = 40) => bare(markdownRows(markdown, surfaceOf(columns)).join("\n"))

/** Output for an answer that comes in these pieces. */
const output = (pieces: ReadonlyArray<string>, surface = surfaceOf(40)) => {
  const scene = { surface, now: undefined }
  let transcript = begin("claude")
  let all = ""
  for (const text of pieces) {
    const [next, more] = draw(transcript, { type: "text", text } satisfies AgentEvent, scene)
    transcript = next
    all += more
  }
  return all + closeText(transcript, scene)[1]
}

const page = `# The *plan*

First we read \`src/price.ts\` and **all** of its callers, which are quite many, then we write.

- one, which is so long that it has to go on in another row
- two
  - inner
3. three

\`\`\`ts
const rate = country === "DE" ? 0.19 : 0.2 // longer than the screen is wide
\`\`\`

> quoted words that are longer than a row of the screen

| file | lines |
|---|---:|
| a.ts | 12 |

See [the docs](https://example.com/a) or https://example.com/b

---
The end.`

describe("a page", () => {
  it("is wrapped by words, with rows that go on below their text; code is as it was", () => {
    expect(rows(page)).toBe(
      [
        "The plan",
        "",
        "First we read `src/price.ts` and all",
        "of its callers, which are quite many,",
        "then we write.",
        "",
        "• one, which is so long that it has to",
        "  go on in another row",
        "• two",
        "  • inner",
        "",
        "3. three",
        "",
        'const rate = country === "DE" ? 0.19 : 0.2 // longer than the screen is wide',
        "",
        "│ quoted words that are longer than a",
        "│ row of the screen",
        "",
        "file  lines",
        "----  -----",
        "a.ts     12",
        "",
        "See the docs (https://example.com/a)",
        "or https://example.com/b",
        "",
        "───",
        "",
        "The end."
      ].join("\n")
    )
  })

  it("has styles, each row for itself", () => {
    const styled = withNames(markdownRows("**bold words that go on** and `code`", surfaceOf(20, true)).join("\n"))
    expect(styled).toBe("<bold>bold words that go</>\n<bold>on</> and <cyan>code</>")
  })

  it("tells a table that is too wide as facts", () => {
    const table = "| name | what it is for |\n|-|-|\n| alpha | a text that is longer than the screen |\n| beta | b |"
    expect(rows(table, 30)).toBe(
      "name: alpha\nwhat it is for: a text\n  that is longer than the\n  screen\n\nname: beta\nwhat it is for: b"
    )
  })

  it.each([30, 50, 80, 120])("has no row of prose that fills %d columns", (columns) => {
    for (const row of rows(page.replace(/```[\s\S]*```/, "").replace(/https:\S+/g, "x"), columns).split("\n")) {
      expect(row.length).toBeLessThan(columns)
    }
  })
})

describe("an answer that comes in pieces", () => {
  const Sizes = Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })))

  it.prop(
    "is written as it would be at once",
    [anyDocument, Sizes],
    ([whole, sizes]) => {
      const pieces: Array<string> = []
      let from = 0
      while (from < whole.length) {
        const size = sizes[pieces.length % sizes.length] ?? 1
        pieces.push(whole.slice(from, from + size))
        from += size
      }
      expect(output(pieces)).toBe(output([whole]))
    },
    runs(300)
  )

  it("loses no word", () => {
    expect(
      bare(output([page]))
        .replace(/\s+/g, " ")
        .trim()
    ).toBe(rows(page).replace(/\s+/g, " ").trim())
  })

  it("is written up to the block that may still change", () => {
    const scene = { surface: surfaceOf(40), now: undefined }
    const [first, nothing] = draw(begin("claude"), { type: "text", text: "one\n\ntwo" }, scene)
    expect(nothing).toBe("")
    const [, one] = draw(first, { type: "text", text: " and more\n" }, scene)
    expect(one).toBe("one\n")
  })

  it("has each row of code as soon as it is whole", () => {
    const scene = { surface: surfaceOf(40), now: undefined }
    const [inCode, before] = draw(begin("claude"), { type: "text", text: "so:\n```sh\nls\nec" }, scene)
    expect(before).toBe("so:\n\nls\n")
    expect(draw(inCode, { type: "text", text: "ho\n```\n" }, scene)[1]).toBe("echo\n")
  })

  it("is bounded where a line has no end, keeps all of it, and is cut at the same places in any pieces", () => {
    const line = `${"word ".repeat(9_000)}${"👍".repeat(9_000)}`
    const pieces = line.match(/[\s\S]{1,997}/g) ?? []
    expect(output(pieces)).toBe(output([line]))
    expect(bare(output([line])).replace(/\s/g, "")).toBe(line.replace(/\s/g, ""))
    const scene = { surface: surfaceOf(40), now: undefined }
    const [open] = draw(begin("claude"), { type: "text", text: line }, scene)
    expect(open.open.line.length).toBeLessThanOrEqual(16_384)
    expect(openRows(open.open, scene.surface, 8).length).toBeLessThanOrEqual(8)
  })

  it("begins and ends with a fence of any length", () => {
    const fence = "`".repeat(16_000)
    expect(output([`${fence}\ncode\n\`\`\`\nmore\n${fence}\nafter\n`])).toBe("code\n```\nmore\n\nafter\n")
  })

  it("is bounded while a block has no end", () => {
    const items = Array.from({ length: 3_000 }, (_, at) => `- item ${at}\n`)
    const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at}\n`)
    expect(output(items).trim().split("\n")).toHaveLength(3_000)
    expect(output(lines).trim().split("\n")).toHaveLength(3_000)
  })
})
