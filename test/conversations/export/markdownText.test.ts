import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { cutAt } from "../../../src/contract/text/harmless.ts"
import { code, fence, literal, quote } from "../../../src/conversations/export/markdownText.ts"

describe("a quote", () => {
  it.each([
    ["two\nlines", "> two\n> lines"],
    ["a\n\nb", "> a\n>\n> b"],
    ["# title", "> \\# title"],
    ["  ###### title", ">   \\###### title"],
    ["- # title", "> - \\# title"],
    ["> 1. ## title", "> > 1. \\## title"],
    ["title\n===", "> title\n> \\==="],
    ["title\n---", "> title\n> \\---"],
    ["#hash #!/bin/sh", "> #hash #!/bin/sh"],
    ["<img src=x> </div> <!-- <?php", "> &lt;img src=x> &lt;/div> &lt;!-- &lt;?php"],
    ["1 < 2", "> 1 < 2"],
    ["![p](http://x/?secret) [t](http://x)", "> ![p]\\(http://x/?secret) [t]\\(http://x)"],
    ["[a]: http://x", "> [a]\\: http://x"],
    ["`Array<T>` and <b>", "> `Array<T>` and &lt;b>"],
    ["``a ` <b>`` <b>", "> ``a ` <b>`` &lt;b>"],
    // Where a back-tick has no partner on its line, another line may be it.
    ["a `\n` <b> `", "> a `\n> ` &lt;b> `"],
    ["\\` <b> `", "> \\` &lt;b> `"],
    ["```ts\nconst a: Array<T>\n# no title\n```\n<b>", "> ```ts\n> const a: Array<T>\n> # no title\n> ```\n> &lt;b>"],
    ["```\nopen <b>", "> ```\n> open <b>"],
    ["````\n```\n<b>\n````\n<b>", "> ````\n> ```\n> <b>\n> ````\n> &lt;b>"],
    ["``` a`b\n<b>", "> ``` a`b\n> &lt;b>"],
    // The item ends with the line that is not indented, and its fence with it.
    ["- a\n  ```\n<b>", "> - a\n>   ```\n> &lt;b>"],
    ["~~~\n<b>\n```\n<b>\n~~~\n<b>", "> ~~~\n> <b>\n> ```\n> <b>\n> ~~~\n> &lt;b>"],
    ["\u001b[31mred\u202eder\u0007\r\nx\ry", "> \\u001b[31mred\\u202eder\\u0007\n> x\\u000dy"]
  ])("of %j", (text, visible) => {
    expect(quote(text)).toBe(visible)
  })

  it.prop("has each line of any text", [Schema.String], ([text]) => {
    expect(quote(text)).toMatch(/^>(?: [^\n]*)?(?:\n>(?: [^\n]*)?)*$/)
  })
})

describe("a code span", () => {
  it.each([
    ["a", "`a`"],
    ["", "``  ``"],
    ["a`b", "``a`b``"],
    ["`a", "`` `a ``"],
    ["a``b`", "``` a``b` ```"],
    ["a\n# b\u001b[0m", "`a # b\\u001b[0m`"]
  ])("of %j", (text, visible) => {
    expect(code(text)).toBe(visible)
  })
})

describe("a fence", () => {
  it.each([
    ["a", "```\na\n```"],
    ["```\nb", "````\n```\nb\n````"],
    ["x `````` y\u0000", "```````\nx `````` y\\u0000\n```````"]
  ])("of %j", (text, visible) => {
    expect(fence(text)).toBe(visible)
  })
})

it("a literal text has no marks", () => {
  expect(literal("# <b> [a](b) *c*\n`d` | e_f")).toBe("\\# \\<b\\> \\[a\\]\\(b\\) \\*c\\* \\`d\\` \\| e\\_f")
})

it("a cut is never through the middle of a character", () => {
  expect(cutAt("ab😀cd", 3)).toEqual({ head: "ab", rest: 4 })
  expect(cutAt("ab😀cd", 4)).toEqual({ head: "ab😀", rest: 2 })
  expect(cutAt("abc", 3)).toEqual({ head: "abc", rest: 0 })
})
