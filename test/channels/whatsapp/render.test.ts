/** Payloads → messages of WhatsApp: none is refused, no word is lost, and only marks are read as marks. */
import { assert, describe, it } from "vitest"
import { richText } from "../../../src/bridge/format/richText.ts"
import type { ReplyPayload } from "../../../src/bridge/messages/ReplyPayload.ts"
import { formatted, lengthOf } from "../../../src/channels/whatsapp/outgoing/form.ts"
import { type Body, isBody, limits, render } from "../../../src/channels/whatsapp/outgoing/render.ts"
import { interactiveOf } from "../../../src/channels/whatsapp/outgoing/write.ts"
import { contentOf } from "../../../src/testing/whatsapp/content.ts"
import { makeMedia } from "../../../src/testing/whatsapp/media.ts"
import { clearSigns } from "../../../src/testing/whatsapp/signs.ts"

const bodies = (payload: ReplyPayload): ReadonlyArray<Body> =>
  render(payload).map(({ body }) => {
    if (!isBody(body)) throw new Error(`no body: ${JSON.stringify(body)}`)
    return body
  })

const media = makeMedia(() => 0)

/** As the fake takes it; throws where it is refused. */
const taken = (body: Body) =>
  contentOf(body.buttons === undefined ? { type: "text", text: { body: body.text } } : interactiveOf(body), media)

const form = (markdown: string) => formatted(richText(markdown)).replaceAll("\u200b", "·")

describe("the form of WhatsApp", () => {
  it.each([
    ["**b** *i* ~~s~~ `c`", "*b* _i_ ~s~ `c`"],
    ["**bold _both_ bold**", "*bold _both_ bold*"],
    ["# A heading", "*A heading*"],
    ["[x](https://e.org/a_b)", "x (https://e.org/a_b)"],
    ["https://e.org/_a_*b*", "https://e.org/_a_*b*"],
    ["```ts\nlet x = `1` * 2\n```", "```let x = `·1`· * 2```"],
    ["> one\n> two", "> one\n> two"],
    ["snake_case and 2*3", "snake_case and 2*3"],
    ["\\*not bold\\*", "*·not bold*·"],
    ["\\_a\\_ \\~b\\~ \\`c\\`", "_·a_· ~·b~· `·c`·"],
    ["a**b**c", "abc"],
    ["**a\\*b**", "a*b"],
    ["**one\ntwo**", "*one*\n*two*"],
    ["\\> no quotation", "·> no quotation"]
  ])("%j", (markdown, expected) => {
    assert.strictEqual(form(markdown), expected)
  })

  it("is read by a person as it was meant", () => {
    const markdown = "**b** and *i*, `x * y`, \\*no\\* \\_no\\_ ~~s~~\n\n> quoted **q**\n\n```\na * b _ c\n```"
    assert.strictEqual(clearSigns(formatted(richText(markdown))), richText(markdown).text)
  })
})

/** Whether all of a text is in another one, in its order. */
const isIn = (text: string, other: string): boolean => {
  let at = 0
  for (const unit of other) if (text.startsWith(unit, at)) at += unit.length
  return at === text.length
}

const labels = (count: number, label = (at: number) => `Option ${at}`) => [
  Array.from({ length: count }, (_, at) => ({ label: label(at), data: `r:1:${at}` }))
]

describe("a message of WhatsApp", () => {
  it("has up to three buttons, a list of up to ten, and no more", () => {
    const counts = [1, 3, 4, 10, 12].map((count) => {
      const [body] = bodies({ text: "Which?", buttons: labels(count) })
      if (body === undefined) throw new Error("no message")
      const { isList, buttons } = taken(body)
      return [buttons.length, isList]
    })
    assert.deepStrictEqual(counts, [
      [1, false],
      [3, false],
      [4, true],
      [10, true],
      [10, true]
    ])
  })

  it("has labels that are short and differ", () => {
    const long = (at: number) => `A rather long option with number ${at}`
    const three = bodies({ text: "?", buttons: labels(3, long) })[0]
    assert.deepStrictEqual(
      three?.buttons?.map(({ label }) => label),
      ["A rather long optio…", "A rather long opti 2", "A rather long opti 3"]
    )
    if (three === undefined) return assert.fail("no message")
    taken(three)
    const odd = [
      [
        { label: "\n", data: "a" },
        { label: "", data: "b" },
        { label: "x", data: "ä".repeat(101) },
        { label: "y", data: "" }
      ]
    ]
    assert.deepStrictEqual(bodies({ text: "?", buttons: odd })[0]?.buttons, [
      { label: "…", data: "a" },
      { label: "… 2", data: "b" }
    ])
  })

  it("is cut where it has buttons: the text in front, its end with the buttons", () => {
    const text = "word ".repeat(2_000)
    const all = bodies({ text, buttons: labels(2) })
    assert.isAtMost(all.at(-1)?.text.length ?? 0, 1_024)
    assert.deepStrictEqual(
      all.map(({ buttons }) => buttons?.length ?? 0),
      [...all.slice(1).map(() => 0), 2]
    )
    assert.isAtMost(all.length, 4)
    for (const body of all) taken(body)
    const short = bodies({ text: "x".repeat(900), buttons: labels(2) })
    assert.strictEqual(short.length, 1)
  })

  it("is one for each file; buttons need a text, and come last", () => {
    const pieces = render({ text: "here", mediaUrls: ["/a/b.png", "/a/c.txt"], replyToId: "wamid.A" })
    assert.deepStrictEqual(
      pieces.map(({ text, file, body }) => [text, file, body]),
      [
        ["here", undefined, { text: "here", replyToId: "wamid.A" }],
        ["b.png", "/a/b.png", { text: "" }],
        ["c.txt", "/a/c.txt", { text: "" }]
      ]
    )
    const withButtons = render({ mediaUrls: ["/a/b.png"], buttons: labels(1) })
    assert.deepStrictEqual(
      withButtons.map(({ text, file }) => [text, file]),
      [
        ["b.png", "/a/b.png"],
        ["Choose:", undefined]
      ]
    )
  })

  it.each([
    ["nothing", ""],
    ["blanks", " \n\t "]
  ])("is not sent if nothing would be seen: %s", (_, text) => {
    assert.deepStrictEqual(render({ text, isError: true, buttons: labels(1) }), [])
  })

  it("has the mark of a failure, and numbers where it is several", () => {
    const all = bodies({ text: "word ".repeat(2_000), isError: true })
    assert.match(all[0]?.text ?? "", /^⚠️ word[\s\S]*\(1\/3\)$/)
    assert.match(all.at(-1)?.text ?? "", /\(3\/3\)$/)
  })

  const many = Number(process.env["PIECES"] ?? 1_000)
  it(`is never refused, and loses nothing: ${many} random pieces`, { timeout: 600_000 }, () => {
    let seed = Number(process.env["SEED"] ?? 1)
    const random = (most: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((seed / 2 ** 32) * most)
    }
    const parts = [
      ..."** * _ ~~ ~ ` ``` > - \\* \\_ [x]( ) | word שלום &amp; \\ (".split(" "),
      ...["```ts\n", "\n", "\n\n", "# ", "> ", "- ", "1. ", "|a|b|\n|-|-|\n", " ", "   ", "\t", "\0", "\r\n"],
      ...["\u202e", "\u2028", "\u200b", "\u200d", "👩‍👩‍👧", "🇩🇪", "\ud800", "\udc00", "https://e.org/a_b*c"],
      ...["x".repeat(300), "a b ".repeat(1_100), "**a** ".repeat(150), "snake_case ", "2 * 3 ", "_a_ "]
    ]
    const bare = (text: string) => text.replace(/\s|\u200b|[*_~`>]|\((?:\d+\/\d+|https?:[^)\s]*)\)|⚠️/gu, "")
    let count = 0
    while (count < many) {
      const text = Array.from({ length: 1 + random(60) }, () => parts[random(parts.length)] ?? "").join("")
      const payload = { text, isError: random(5) === 0, ...(random(3) === 0 ? { buttons: labels(1 + random(6)) } : {}) }
      const pieces = render(payload)
      for (const [at, body] of bodies(payload).entries()) {
        try {
          taken(body)
        } catch (error) {
          assert.fail(`${String(error)}: ${JSON.stringify(text)} → ${JSON.stringify(body)}`)
        }
        assert.isAtMost(body.text.length, body.buttons === undefined ? limits.text : 1_024)
        assert.isTrue(body.text.isWellFormed())
        // Addresses of links are added.
        assert.isTrue(isIn(pieces[at]?.text ?? "", body.text), JSON.stringify([text, body.text]).slice(0, 2_000))
        count += 1
      }
      const rich = richText(text.toWellFormed())
      assert.isAtMost(formatted(rich).length, lengthOf(rich))
      if (pieces.length > 0)
        assert.isTrue(
          bare(pieces.map((piece) => piece.text).join("")) === bare(rich.text),
          JSON.stringify(text).slice(0, 2_000)
        )
    }
  })
})
