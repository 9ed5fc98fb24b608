/** Where Markdown is cut for channels that read it themselves. */
import { describe, expect, it } from "vitest"
import { cutMarkdown } from "../../../src/bridge/format/cutMarkdown.ts"

type Row = readonly [name: string, markdown: string, limit: number, expected: ReadonlyArray<string>]

const rows: ReadonlyArray<Row> = [
  ["not where it fits", "abc\n\ndef", 8, ["abc\n\ndef"]],
  ["at a paragraph", "ab cd\nef\n\ngh", 11, ["ab cd\nef\n\n", "gh"]],
  ["not behind a heading", "# Ab\n\ncd ef gh", 11, ["# Ab\n\ncd ef", " gh"]],
  ["before a heading", "a\n\n## Bc\n\ndefgh ij", 13, ["a\n\n", "## Bc\n\ndefgh ", "ij"]],
  ["else at a line", "ab cd\nef gh", 8, ["ab cd\n", "ef gh"]],
  ["else at a space", "abc def ghi", 8, ["abc def ", "ghi"]],
  ["else between characters", "abcdefgh", 3, ["abc", "def", "gh"]],
  ["white space that does not fit begins the next piece", "abcde\n\nfg", 5, ["abcde", "\n\nfg"]],
  ["not inside a line end of Windows", "abc\r\ndef", 4, ["abc", "\r\nde", "f"]],
  ["before code that fits", "abc\n```js\ndef\n```\n", 14, ["abc\n", "```js\ndef\n```\n"]],
  [
    "in longer code, which is closed and opened again",
    "```js\nabcd\nefgh\nijkl\n```",
    20,
    ["```js\nabcd\nefgh\n```", "```js\nijkl\n```"]
  ],
  [
    "in longer code without lines",
    "```js\nabcdefghijklmnop\n```",
    20,
    ["```js\nabcdefghij\n```", "```js\nklmnop\n```"]
  ],
  [
    "in code, so that each piece has some of it",
    "```\n\nab cd ef gh ij kl \n```",
    24,
    ["```\n\nab cd ef gh ij \n```", "```\nkl \n```"]
  ],
  [
    "with waves, and with a longer fence",
    "~~~~py\n~~~\nabcdefg\nhi\n~~~~",
    24,
    ["~~~~py\n~~~\nabcdefg\n~~~~", "~~~~py\nhi\n~~~~"]
  ],
  [
    "in a list, with its indent",
    "- ab\n  ```js\n  cdefgh\n  ijklmn\n  ```",
    28,
    ["- ab\n", "  ```js\n  cdefgh\n  ```", "  ```js\n  ijklmn\n  ```"]
  ],
  [
    "in an item that begins with code",
    "- ```js\n  cdefgh\n  ijklmn\n  ```",
    28,
    ["- ```js\n  cdefgh\n  ```", "  ```js\n  ijklmn\n  ```"]
  ],
  [
    "in a quotation, with its mark",
    "> ```\n> abcdef\n> ghijkl\n> ```\nmn",
    24,
    ["> ```\n> abcdef\n> ```", "> ```\n> ghijkl\n> ```\nmn"]
  ],
  ["in code without a closing fence", "```js\nabcd\nefgh\nijkl\nmn", 20, ["```js\nabcd\nefgh\n```", "```js\nijkl\nmn"]],
  [
    "with a long info string left out",
    "```a long info string\nabcdefgh\nijklmnop\n```",
    40,
    ["```a long info string\nabcdefgh\n```", "```\nijklmnop\n```"]
  ],
  ["without fences that leave no room", "```js\nab cd\n```", 6, ["```js\n", "ab ", "cd\n```"]],
  ["with nothing for nothing", "", 9, []],
  ["with nothing for white space", " \n\n ", 9, []]
]

describe("is cut", () => {
  it.each(rows)("%s", (_, markdown, limit, expected) => {
    expect(cutMarkdown(markdown, limit)).toEqual(expected)
  })

  it("at 4,000 by default, and not at exactly the limit", () => {
    expect(cutMarkdown("a".repeat(4_000))).toHaveLength(1)
    expect(cutMarkdown("a".repeat(4_001)).map(({ length }) => length)).toEqual([4_000, 1])
  })

  it("for limits that make no sense", () => {
    for (const limit of [1, 0, -1]) expect(cutMarkdown("ab c", limit)).toEqual(["a", "b", "c"])
  })
})

describe("a tail", () => {
  it.each([
    ["stands below the last piece", "ab\n\ncd", 14, ["ab\n\ncd\n\n(end)"]],
    ["takes a paragraph along", "abcdef\n\nghi", 14, ["abcdef\n\n", "ghi\n\n(end)"]],
    ["cuts no line", "abc def ghi", 14, ["abc def ghi", "(end)"]],
    ["is outside of code without a closing fence", "```\nab", 20, ["```\nab\n```\n\n(end)"]],
    ["is alone where it is long", "abc", 8, ["abc", "(end)"]],
    ["is all there is", "", 14, ["(end)"]]
  ] as ReadonlyArray<Row>)("%s", (_, markdown, limit, expected) => {
    expect(cutMarkdown(markdown, limit, { tail: "(end)" })).toEqual(expected)
  })
})

describe("numbers", () => {
  it("stand below several pieces, behind the code", () => {
    const code = "```\naaaaaaaa\nbbbbbbbb\n```"
    expect(cutMarkdown("abc", 30, { numbered: true })).toEqual(["abc"])
    expect(cutMarkdown(code, 24, { numbered: true })).toEqual([
      "```\naaaaaaaa\n```\n\n(1/2)",
      "```\nbbbbbbbb\n```\n\n(2/2)"
    ])
  })
})
