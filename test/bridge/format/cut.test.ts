/** Where text with marks is cut, and what stands below the pieces. */
import { describe, expect, it } from "vitest"
import { cut } from "../../../src/bridge/format/cut.ts"
import { plain, type RichText } from "../../../src/bridge/format/entities.ts"
import { richText } from "../../../src/bridge/format/richText.ts"
import { marked } from "./marked.ts"

const pieces = (markdown: string, limit: number) => cut(richText(markdown), limit).map(marked)
const family = "👩‍👩‍👧"

describe("is cut", () => {
  it.each([
    ["not where it fits", "abcdefghij", 10, ["abcdefghij"]],
    ["at a paragraph", "a b\n\nc d\ne f g", 11, ["a b", "c d\ne f g"]],
    ["not behind a heading", "# Ab\n\ncd ef gh", 9, ["[bold:Ab]\n\ncd ef", "gh"]],
    ["before a heading", "a\n\n# Bc\n\ndefgh ij", 10, ["a", "[bold:Bc]\n\ndefgh", "ij"]],
    ["behind a heading, before a word that is too long", "# Ab\n\ncdefghij", 8, ["[bold:Ab]", "cdefghij"]],
    ["else at a line", "ab cd\nef gh", 8, ["ab cd", "ef gh"]],
    ["else at a space", "abc def ghi", 8, ["abc def", "ghi"]],
    ["at white space behind the limit", "abc def", 3, ["abc", "def"]],
    ["else between characters", "abcdefgh", 3, ["abc", "def", "gh"]],
    ["not inside a picture", family.repeat(2), 10, [family, family]],
    ["not inside a pair, where the picture is longer", family, 3, ["👩\u200d", "👩\u200d", "👧"]],
    ["not between a letter and what stands on it", "ae\u0301e\u0301", 4, ["ae\u0301", "e\u0301"]],
    ["with the styles over it", "**abc def**", 4, ["[bold:abc]", "[bold:def]"]],
    ["with the link over it", "[abc def](https://g.hi)", 4, ["[link(https://g.hi):abc]", "[link(https://g.hi):def]"]],
    ["in the smallest pieces", "ab **c**", 1, ["a", "b", "[bold:c]"]],
    ["before code that fits", "ab cd\n```js\nef\ngh\n```", 9, ["ab cd", "[pre(js):ef\ngh]"]],
    ["in longer code at lines", "```js\nab\ncd\nef\n```", 6, ["[pre(js):ab\ncd]", "[pre(js):ef]"]],
    ["in longer code, the indent stays", "```\nab\n  cd\n```", 5, ["[pre():ab]", "[pre():  cd]"]],
    ["with nothing for nothing", "", 5, []]
  ] as ReadonlyArray<readonly [string, string, number, ReadonlyArray<string>]>)("%s", (_, markdown, limit, expected) =>
    expect(pieces(markdown, limit)).toEqual(expected)
  )

  it("by what measures it as it is written", () => {
    const escaped = (piece: RichText) => piece.text.replaceAll("&", "&amp;").length <= 11
    expect(cut(plain("&& && && &&"), escaped).map(marked)).toEqual(["&&", "&&", "&&", "&&"])
  })

  it("so that no piece has too many marks", () => {
    const links = richText("[a](https://b.cd) ".repeat(3_000))
    const all = cut(links, 4_096)
    expect(all.length).toBe(30)
    expect(all.flatMap(({ entities }) => entities)).toHaveLength(3_000)
    expect(cut(richText("*a **b*** c"), 4_096, { entities: 1 }).map(marked)).toEqual(["[italic:a]", "[italic:b]", "c"])
  })
})

describe("a tail", () => {
  const resume = richText("`claude --resume 1`")
  const tails = (text: string, limit: number) => cut(richText(text), limit, { tail: resume }).map(marked)

  it.each([
    ["stands below the only piece", "a", 50, ["a\n\n[code:claude --resume 1]"]],
    [
      "stands below the last piece",
      "aaaaaaaaaa ".repeat(6),
      40,
      ["aaaaaaaaaa aaaaaaaaaa aaaaaaaaaa", "aaaaaaaaaa aaaaaaaaaa aaaaaaaaaa", "[code:claude --resume 1]"]
    ],
    [
      "takes a paragraph along",
      "aaaaaaaaaaaaaaa\n\nbbbbbbbbbbbbbbb",
      40,
      ["aaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbb\n\n[code:claude --resume 1]"]
    ],
    ["is alone where it is long", "aaaa bbbb", 20, ["aaaa bbbb", "[code:claude --resume 1]"]],
    ["is cut where nothing else is possible", "a", 10, ["a", "[code:claude]", "[code:--resume 1]"]],
    ["is all there is", "", 50, ["[code:claude --resume 1]"]]
  ] as ReadonlyArray<readonly [string, string, number, ReadonlyArray<string>]>)("%s", (_, text, limit, expected) =>
    expect(tails(text, limit)).toEqual(expected)
  )

  it("may be a text as it stands", () => {
    expect(cut(plain("a"), 50, { tail: "*b*" })).toEqual([plain("a\n\n*b*")])
  })
})

describe("numbers", () => {
  const numbered = (text: string, limit: number) => cut(plain(text), limit, { numbered: true }).map(({ text }) => text)

  it("stand below several pieces, and not below one", () => {
    expect(numbered("abc", 20)).toEqual(["abc"])
    expect(numbered("aaaaaaaaa bbbbbbbbb ccc", 20)).toEqual(["aaaaaaaaa\n\n(1/2)", "bbbbbbbbb ccc\n\n(2/2)"])
  })

  it("have as many digits as they need, and fit", () => {
    const many = numbered("word ".repeat(60), 20)
    expect(many.at(0)).toBe("word word\n\n(1/30)")
    expect(many.at(-1)).toBe("word word\n\n(30/30)")
    expect(many.every((piece) => piece.length <= 20)).toBe(true)
  })

  it("are left out where they leave no room", () => {
    expect(numbered("aa bb", 3)).toEqual(["aa", "bb"])
  })

  it("stand below the tail", () => {
    const all = cut(plain("aaaaaaaaaaaaaaa bbbbbbbbbbbbbbb"), 30, { numbered: true, tail: "end" })
    expect(all.map(({ text }) => text)).toEqual(["aaaaaaaaaaaaaaa\n\n(1/2)", "bbbbbbbbbbbbbbb\n\nend\n\n(2/2)"])
  })
})
