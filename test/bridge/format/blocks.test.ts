/** Markdown as the tree that a page draws: what each mark becomes, and what holds for any text. */
import { assert, describe, it } from "@effect/vitest"
import type { Block, Inline } from "../../../src/bridge/format/block.ts"
import { blocksOf } from "../../../src/bridge/format/blocks.ts"
import { richText } from "../../../src/bridge/format/richText.ts"
import { runs } from "../../kit/runs.ts"
import { anyDocument } from "./documents.ts"

const p = (...c: ReadonlyArray<Inline>): Block => ({ t: "p", c })

describe("blocks", () => {
  it.each<readonly [string, string, ReadonlyArray<Block>]>([
    ["nothing", "  \n\n", []],
    ["a paragraph", "one\ntwo", [p("one\ntwo")]],
    [
      "styles",
      "**b** *i* ~~s~~ `c`",
      [p({ t: "b", c: ["b"] }, " ", { t: "i", c: ["i"] }, " ", { t: "s", c: ["s"] }, " ", { t: "code", text: "c" })]
    ],
    ["a heading", "## Two", [{ t: "h", n: 2, c: ["Two"] }]],
    ["code", "```ts\nlet a\n```", [{ t: "code", lang: "ts", text: "let a" }]],
    ["code that is still written", "```ts\nlet a", [{ t: "code", lang: "ts", text: "let a" }]],
    ["code with words for a language", "```a title\nx\n```", [{ t: "code", text: "a title\nx" }]],
    [
      "tasks",
      "- [x] a\n- [ ] b",
      [
        {
          t: "list",
          ordered: false,
          items: [
            { task: true, c: [p("a")] },
            { task: false, c: [p("b")] }
          ]
        }
      ]
    ],
    [
      "numbers from three",
      "3. a\n4. b",
      [{ t: "list", ordered: true, start: 3, items: [{ c: [p("a")] }, { c: [p("b")] }] }]
    ],
    ["a quotation", "> q", [{ t: "quote", c: [p("q")] }]],
    [
      "a table",
      "|a|b|\n|:-|-:|\n|1|*2*|",
      [
        {
          t: "table",
          align: ["left", "right"],
          head: [["a"], ["b"]],
          rows: [[["1"], [{ t: "i", c: ["2"] }]]]
        }
      ]
    ],
    ["a rule", "a\n\n---", [p("a"), { t: "hr" }]],
    ["a break", "a  \nb<br>c", [p("a", { t: "br" }, "b", { t: "br" }, "c")]],
    ["HTML", "<script>alert(1)</script>", [p("<script>alert(1)</script>")]],
    ["HTML in a line", "a <img src=x onerror=y>", [p("a <img src=x onerror=y>")]],
    ["a link", "[l](https://a.example/b)", [p({ t: "a", href: "https://a.example/b", c: ["l"] })]],
    ["a bare link", "https://a.example/b", [p({ t: "a", href: "https://a.example/b", c: ["https://a.example/b"] })]],
    ["a script as a link", "[l](javascript:alert(1))", [p("l (", { t: "code", text: "javascript:alert(1)" }, ")")]],
    ["data as a link", "[l](data:text/html,x)", [p("l (", { t: "code", text: "data:text/html,x" }, ")")]],
    ["another program's link", "[l](tg://resolve)", [p("l (", { t: "code", text: "tg://resolve" }, ")")]],
    [
      "this machine as a link",
      "[l](http://localhost:3000/)",
      [p("l (", { t: "code", text: "http://localhost:3000/" }, ")")]
    ],
    ["a file as a link", "[l](src/a.ts)", [p("l (", { t: "code", text: "src/a.ts" }, ")")]],
    ["a picture", "![p](https://a.example/p.png)", [p({ t: "a", href: "https://a.example/p.png", c: ["p"] })]]
  ])("%s", (_, markdown, expected) => {
    assert.deepStrictEqual(blocksOf(markdown), expected)
  })

  it("is a block of code where a table is too wide for a page", () => {
    const row = `|${"a|".repeat(80)}`
    const [block] = blocksOf(`${row}\n|${"-|".repeat(80)}\n${row}`)
    assert.strictEqual(block?.t, "code")
  })

  it("is bounded in depth, however deep the text is", () => {
    for (const mark of ["> ", "- ", "**a *", "[", "1. "]) {
      assert.isBelow(depthOf(blocksOf(mark.repeat(2_000))), 80, mark)
    }
  })
})

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

const inlineText = (parts: ReadonlyArray<Inline>): string =>
  parts
    .map((part) => {
      if (typeof part === "string") return part
      if (part.t === "br") return "\n"
      return part.t === "code" ? part.text : inlineText(part.c)
    })
    .join("")

const ownText = (block: Block): string => {
  switch (block.t) {
    case "p":
    case "h":
      return inlineText(block.c)
    case "code":
      return `${block.lang ?? ""} ${block.text}`
    case "list":
      return block.items.map(({ c }) => textOf(c)).join("\n")
    case "quote":
      return textOf(block.c)
    case "table":
      return [block.head, ...block.rows].map((row) => row.map(inlineText).join(" ")).join("\n")
    case "hr":
      return ""
  }
}

const textOf = (blocks: ReadonlyArray<Block>): string => blocks.map(ownText).join("\n")

const links = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  const own = "t" in value && value.t === "a" && "href" in value ? [String(value.href)] : []
  return [...own, ...Object.values(value).flatMap(links)]
}

/** Letters alone, without the languages of code, which stand elsewhere. */
const lettersOf = (text: string) => [...text.matchAll(/\p{L}+/gu)].join("")

describe("any document", () => {
  it.prop(
    "has all its letters, in their order",
    [anyDocument],
    ([markdown]) => {
      const { text } = richText(markdown)
      // For code, the language is a mark there and a member here.
      const withoutLanguages = (blocks: ReadonlyArray<Block>): string =>
        textOf(JSON.parse(JSON.stringify(blocks, (name, value) => (name === "lang" ? undefined : value))))
      assert.strictEqual(lettersOf(withoutLanguages(blocksOf(markdown))), lettersOf(text))
    },
    runs(1_000)
  )

  it.prop(
    "has links that may be pressed alone, and no controls",
    [anyDocument],
    ([markdown]) => {
      const blocks = blocksOf(markdown)
      for (const href of links(blocks)) assert.match(href, /^(?:https?:\/\/[^/]+\.[^/]+|mailto:)/)
      assert.notMatch(textOf(blocks), /[\0\u202e\u200b\x1b]/)
      assert.isTrue(textOf(blocks).isWellFormed())
    },
    runs(1_000)
  )
})
