/** Each construct of Markdown as text with marks. An upgrade of `marked` is judged by these tables. */
import { describe, expect, it } from "vitest"
import { plainText, richText } from "../../../src/bridge/format/richText.ts"
import { marked } from "./marked.ts"

type Row = readonly [name: string, markdown: string, expected: string]

const table = (name: string, rows: ReadonlyArray<Row>) =>
  describe(name, () => {
    it.each(rows)("%s", (_, markdown, expected) => expect(marked(richText(markdown))).toBe(expected))
  })

table("styles", [
  ["bold", "a **b** __c__", "a [bold:b] [bold:c]"],
  ["italic", "a *b* _c_", "a [italic:b] [italic:c]"],
  ["both", "***a***", "[italic:[bold:a]]"],
  ["strikethrough", "~~a~~ ~b~", "[strikethrough:a] [strikethrough:b]"],
  ["inside each other", "**a *b* c**", "[bold:a [italic:b] c]"],
  ["bold inside bold is one", "**a __b__ c**", "[bold:a b c]"],
  ["code", "a `b *c*` ``d ` e``", "a [code:b *c*] [code:d ` e]"],
  ["code ends the style around it", "**a `b` c**", "[bold:a] [code:b] [bold:c]"],
  ["names with underscores", "snake_case_name", "snake_case_name"],
  ["stars between digits are marks, by CommonMark", "2*3*4", "2[italic:3]4"],
  ["marks without an end", "a ** b ` c [ d", "a ** b ` c [ d"],
  ["escapes", "\\*a\\* \\_b", "*a* _b"],
  ["references", "&lt;a&gt; &amp; &#65;&quot;", '<a> & A"'],
  ["a reference to what hides", "a&#x202e;b&#0;c", "a\\u202eb\ufffdc"]
])

table("paragraphs", [
  ["two", "a\n\n\n\nb", "a\n\nb"],
  ["lines", "a\n  b", "a\nb"],
  ["breaks", "a  \nb\\\nc<br>d", "a\nb\nc\nd"],
  ["line ends of Windows and of old", "a\r\nb\rc", "a\nb\nc"],
  ["white space at the ends", "\n\n  a  \n\n", "a"],
  ["a rule", "a\n\n---\n\nb", "a\n\n———\n\nb"],
  ["HTML is text", "<div>\n  <b>a</b>\n</div>", "<div>\n  <b>a</b>\n</div>"],
  ["HTML in a line is text", "a <b>c</b>", "a <b>c</b>"]
])

table("headings", [
  ["of each kind", "# a\n### b\nc\n===", "[bold:a]\n\n[bold:b]\n\n[bold:c]"],
  ["with marks", "## a *b* `c` **d**", "[bold:a [italic:b]] [code:c] [bold:d]"],
  ["no heading", "#tag", "#tag"]
])

table("lists", [
  ["bullets", "- a\n* b\n\n  c", "• a\n\n• b\n\n  c"],
  ["inside each other", "- a\n  - b\n    - c\n- d", "• a\n  • b\n    • c\n• d"],
  ["numbers", "3. a\n3. b", "3. a\n4. b"],
  ["numbers with bullets", "1. a\n   - b\n     c\n2. d", "1. a\n   • b\n     c\n2. d"],
  ["boxes", "- [ ] a\n- [x] **b**\n- c", "☐ a\n☑ [bold:b]\n• c"],
  ["boxes with room between", "- [x] a\n\n- [ ] b", "☑ a\n\n☐ b"],
  ["numbered boxes", "1. [ ] a", "1. ☐ a"],
  ["with code", "- a\n  ```js\n  b\n    c\n  ```\n  d", "• a\n[pre(js):b\n  c]\n  d"],
  ["with a quotation", "- > a", "• [blockquote:a]"],
  ["an empty item", "- \n- a", "• \n• a"]
])

table("quotations", [
  ["of paragraphs", "> a\n>\n> b\n\nc", "[blockquote:a\n\nb]\n\nc"],
  ["inside each other are one", "> a\n> > b", "[blockquote:a\n\nb]"],
  ["with marks, lists and code", "> **a**\n> - b\n> ```\n> c\n> ```", "[blockquote:[bold:a]\n\n• b\n\n[pre():c]]"]
])

table("code", [
  ["with its language", "```ts\nlet a\n\n  b\n```", "[pre(ts):let a\n\n  b]"],
  ["of waves, and longer", "~~~~\n~~~\n~~~~", "[pre():~~~]"],
  ["keeps an info string that is not a language", "```js title=a.js\nb\n```", "[pre():js title=a.js\nb]"],
  ["indented", "a\n\n    b\n      c", "a\n\n[pre():b\n  c]"],
  ["without an end", "a\n```js\nb", "a\n\n[pre(js):b]"],
  ["only fences", "```\n```", "```\n```"],
  ["only one fence", "```js", "```js"],
  ["marks in it are text", "```\n**a** <b> [c](https://d.ef)\n```", "[pre():**a** <b> [c](https://d.ef)]"]
])

table("links", [
  ["with a text", "[a *b*](https://c.de)", "[link(https://c.de):a [italic:b]]"],
  ["bare", "https://a.bc/d. www.e.fg", "[link(https://a.bc/d):https://a.bc/d]. [link(http://www.e.fg):www.e.fg]"],
  ["in angles", "<https://a.bc>", "[link(https://a.bc):https://a.bc]"],
  ["with a title", '[a](https://b.cd "e")', "[link(https://b.cd):a] (e)"],
  ["without a text", "[](https://a.bc)", "[link(https://a.bc):https://a.bc]"],
  ["with code as text", "[`a`](https://b.cd)", "[link(https://b.cd):a]"],
  ["in bold", "**a [b](https://c.de)**", "[bold:a [link(https://c.de):b]]"],
  ["addresses of mail", "a@b.cd [e](mailto:f@g.hi)", "[link(mailto:a@b.cd):a@b.cd] [link(mailto:f@g.hi):e]"],
  ["of Telegram", "[a](tg://user?id=1)", "[link(tg://user?id=1):a]"],
  ["letters of others become ASCII", "[a](https://bücher.example/ä)", "[link(https://xn--bcher-kva.example/%C3%A4):a]"],
  ["a file does not count", "[src/a.ts](src/a.ts) [a](src/a.ts)", "[code:src/a.ts] a ([code:src/a.ts])"],
  ["a host without a dot does not count", "http://localhost:3000/a", "[code:http://localhost:3000/a]"],
  ["scripts and data do not count", "[a](javascript:b) [c](data:d)", "a ([code:javascript:b]) c ([code:data:d])"],
  [
    "a hidden host does not count",
    "[a](https://bank.example@evil.example/)",
    "a ([code:https://bank.example@evil.example/])"
  ],
  ["by reference", "[a][1] [1]\n\n[1]: https://b.cd", "[link(https://b.cd):a] [link(https://b.cd):1]"],
  ["an unused definition", "a\n\n[1]: https://b.cd", "a\n\n[1]: https://b.cd"],
  ["a picture", "![a](https://b.cd/e.png)", "[link(https://b.cd/e.png):a]"],
  ["a picture of the disk", "![a](./b.png) ![](c.png)", "a ([code:./b.png]) [code:c.png]"],
  ["a picture in a link", "[![a](b.png)](https://c.de)", "[link(https://c.de):a (b.png)]"]
])

table("tables", [
  ["by their columns", "| a | b |\n|--|--:|\n| long | 1 |", "[pre():a    | b\n-----+--\nlong | 1]"],
  ["of three kinds", "a|b|c\n:-|:-:|-:\nccc|ddd|eee", "[pre():a   |  b  |   c\n----+-----+----\nccc | ddd | eee]"],
  [
    "marks in cells are left out",
    "| a |\n|---|\n| **b** `c` [d](https://e.fg) |",
    "[pre():a\n--------------------\nb c d (https://e.fg)]"
  ],
  ["more cells than columns", "| a |\n|---|\n| b | c |", "[pre():a\n--+--\nb | c]"],
  ["a bar in a cell", "| a |\n|---|\n| b \\| c |", "[pre():a\n-----\nb | c]"],
  ["wide letters", "| a | b |\n|---|---|\n| 日本 | c |", "[pre():a    | b\n-----+--\n日本 | c]"],
  ["a break in a cell", "| a |\n|---|\n| b<br>c |", "[pre():a\n---\nb c]"]
])

table("what hides", [
  ["NUL and lone surrogates", "a\0b\ud800c", "a\\u0000b\\ud800c"],
  ["what turns round", "a\u202eb", "a\\u202eb"],
  ["what takes no room", "a\u200bb\ufeff", "a\\u200bb\\ufeff"],
  ["in code, too", "`a\u202eb`", "[code:a\\u202eb]"],
  ["in an address", "[a](https://b.cd/\u202ee)", "[link(https://b.cd/\\u202ee):a]"],
  ["words of Persian, and emoji, stay", "می‌خواهم 👩‍👩‍👧 1️⃣", "می‌خواهم 👩‍👩‍👧 1️⃣"]
])

it("is empty for nothing", () => {
  for (const nothing of ["", " ", "\n\n", "\t"]) expect(richText(nothing)).toEqual({ text: "", entities: [] })
})

it("is read aloud without marks", () => {
  expect(plainText("# a\n- **b** [c](https://d.ef)")).toBe("a\n\n• b c")
})
