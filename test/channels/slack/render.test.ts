/** Payloads → messages of Slack: none is refused, no word is lost, and nobody is notified by what an agent says. */
import { assert, describe, it } from "vitest"
import { richText } from "../../../src/bridge/format/richText.ts"
import type { ReplyPayload } from "../../../src/bridge/messages/ReplyPayload.ts"
import { notification } from "../../../src/channels/slack/outgoing/form.ts"
import { type Body, contentOf, isBody, limits, render } from "../../../src/channels/slack/outgoing/render.ts"
import { blocksOf, buttonsOf, notifiedBy, notifiedByBlocks, textOfBlocks } from "../../../src/testing/slack/blocks.ts"

const bodies = (payload: ReplyPayload): ReadonlyArray<Body> =>
  render(payload).map(({ body }) => {
    if (!isBody(body)) throw new Error(`no body: ${JSON.stringify(body)}`)
    return body
  })

/** As the fake takes it; throws where it is refused. */
const taken = (body: Body, form?: "plain") => {
  const { text, blocks } = contentOf(body, form)
  const own = blocksOf(blocks) ?? []
  return {
    notified: text,
    text: textOfBlocks(own),
    buttons: buttonsOf(own),
    notifies: [...notifiedBy(text), ...notifiedByBlocks(own)]
  }
}

const partsOf = (markdown: string) => {
  const [body] = bodies({ text: markdown })
  return (body?.block as { readonly elements: unknown } | undefined)?.elements
}

const section = (...elements: ReadonlyArray<object>) => ({ type: "rich_text_section", elements })
const text = (own: string, style?: object) => ({ type: "text", text: own, ...(style === undefined ? {} : { style }) })

describe("the form of Slack", () => {
  it.each<[string, ReadonlyArray<object>]>([
    ["plain *text*", [section(text("plain "), text("text", { italic: true }))]],
    [
      "**b _both_** ~~s~~ `c`",
      [
        section(
          text("b ", { bold: true }),
          text("both", { bold: true, italic: true }),
          text(" "),
          text("s", { strike: true }),
          text(" "),
          text("c", { code: true })
        )
      ]
    ],
    [
      "see [the **docs**](https://e.org/a)",
      [
        section(
          text("see "),
          { type: "link", url: "https://e.org/a", text: "the " },
          { type: "link", url: "https://e.org/a", text: "docs", style: { bold: true } }
        )
      ]
    ],
    [
      "one\n\n```ts\nlet x\n```\n\ntwo",
      [section(text("one\n")), { type: "rich_text_preformatted", elements: [text("let x")] }, section(text("\ntwo"))]
    ],
    [
      "> quoted **q**\n> more",
      [{ type: "rich_text_quote", elements: [text("quoted "), text("q", { bold: true }), text("\nmore")] }]
    ],
    ["```\na\n```\n```\nb\n```", ["a", "b"].map((own) => ({ type: "rich_text_preformatted", elements: [text(own)] }))],
    ["<!channel> <@U1> & @here", [section(text("<!channel> <@U1> & @here"))]]
  ])("%j", (markdown, expected) => {
    assert.deepStrictEqual(partsOf(markdown), expected)
  })

  it.each([
    ["a & b <c>", "a &amp; b &lt;c&gt;"],
    ["<!channel>", "&lt;!channel&gt;"]
  ])("notifies with %j as %j", (own, expected) => {
    assert.strictEqual(notification(own), expected)
  })

  it("notifies with no more than Slack takes in an edit", () => {
    for (const own of ["<".repeat(3_000), "ש".repeat(3_000), "👩‍👩‍👧".repeat(400), "a".repeat(3_000)]) {
      assert.isAtMost(Buffer.byteLength(notification(own)), 3_000)
      assert.isTrue(notification(own).isWellFormed())
    }
    assert.match(notification("&".repeat(3_000)), /(?:&amp;)+…$/)
    assert.strictEqual(notification("a".repeat(2_900)), "a".repeat(2_900))
  })
})

const labels = (count: number) => [
  Array.from({ length: count }, (_, at) => ({ label: `Option ${at}`, data: `r:1:${at}` }))
]

describe("a message of Slack", () => {
  it("has buttons in rows below it, short labels, and not more than Slack takes", () => {
    const buttons = [
      [
        { label: "Yes", data: "y" },
        { label: "x".repeat(100), data: "n" }
      ],
      [{ label: "\n", data: "o" }],
      [
        { label: "no data", data: "" },
        { label: "too much", data: "ä".repeat(1_001) }
      ]
    ]
    const [body] = bodies({ text: "May I?", buttons })
    if (body === undefined) return assert.fail("no message")
    for (const form of [undefined, "plain"] as const) {
      const own = taken(body, form)
      assert.strictEqual(own.text, "May I?")
      assert.deepStrictEqual(
        own.buttons.map(({ label, value }) => [label, value]),
        [
          ["Yes", "y"],
          [`${"x".repeat(74)}…`, "n"],
          ["…", "o"]
        ]
      )
      assert.strictEqual(new Set(own.buttons.map(({ blockId }) => blockId)).size, 2)
    }
    const [many] = bodies({ text: "Which?", buttons: labels(40) })
    assert.lengthOf(many === undefined ? [] : taken(many).buttons, 25)
  })

  it("is one for each file; buttons need a text, and come last", () => {
    const texts = (payload: ReplyPayload) => render(payload).map(({ text: own, file }) => [own, file])
    assert.deepStrictEqual(texts({ text: "here", mediaUrls: ["/a/b.png", "/a/c.txt"] }), [
      ["here", undefined],
      ["b.png", "/a/b.png"],
      ["c.txt", "/a/c.txt"]
    ])
    assert.deepStrictEqual(texts({ mediaUrls: ["/a/b.png"], buttons: labels(1) }), [
      ["b.png", "/a/b.png"],
      ["Choose:", undefined]
    ])
  })

  it.each([
    ["nothing", ""],
    ["blanks", " \n\t "]
  ])("is none if nothing would be seen: %s", (_, own) => {
    assert.deepStrictEqual(render({ text: own, isError: true, buttons: labels(1) }), [])
  })

  it("has the mark of a failure, and numbers where it is several", () => {
    const all = bodies({ text: "word ".repeat(1_500), isError: true, buttons: labels(1) })
    assert.match(all[0]?.text ?? "", /^⚠️ word[\s\S]*\(1\/3\)$/)
    assert.match(all.at(-1)?.text ?? "", /\(3\/3\)$/)
    assert.deepStrictEqual(
      all.map(({ buttons = [] }) => buttons.length),
      [0, 0, 1]
    )
  })

  const many = Number(process.env["PIECES"] ?? 1_000)
  it(`is never refused, loses nothing and notifies nobody: ${many} random pieces`, { timeout: 600_000 }, () => {
    let seed = Number(process.env["SEED"] ?? 1)
    const random = (most: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((seed / 2 ** 32) * most)
    }
    const parts = [
      ..."** * _ ~~ ~ ` ``` > - \\* \\_ [x]( ) | word שלום &amp; \\ ( <!channel> <@U0REINS> <!subteam^S1> @here".split(
        " "
      ),
      ...["```ts\n", "\n", "\n\n", "# ", "> ", "- ", "1. ", "|a|b|\n|-|-|\n", " ", "   ", "\t", "\0", "\r\n"],
      ...["\u202e", "\u2028", "\u200b", "\u200d", "👩‍👩‍👧", "🇩🇪", "\ud800", "\udc00", "https://e.org/a_b*c"],
      ...[
        "x".repeat(300),
        "a b ".repeat(800),
        "**a** ".repeat(150),
        "<".repeat(500),
        `[a](https://e.org/${"y".repeat(900)}) `
      ]
    ]
    const bare = (own: string) => own.replace(/\s|\((?:\d+\/\d+)\)|⚠️/gu, "")
    let count = 0
    while (count < many) {
      const markdown = Array.from({ length: 1 + random(60) }, () => parts[random(parts.length)] ?? "").join("")
      const payload = { text: markdown, isError: random(5) === 0, ...(random(3) === 0 ? { buttons: labels(3) } : {}) }
      const all = bodies(payload).map((body) => ({ body, ...taken(body) }))
      for (const { body, text: own, notified, notifies } of all) {
        assert.isAtMost(body.text.length, limits.text)
        assert.isAtMost(Buffer.byteLength(notified), 3_000)
        assert.isTrue(body.text.isWellFormed())
        assert.deepStrictEqual(notifies, [])
        assert.strictEqual(bare(own), bare(body.text), JSON.stringify(markdown).slice(0, 2_000))
        count += 1
      }
      if (all.length > 0)
        assert.strictEqual(
          bare(all.map(({ text: own }) => own).join("")),
          bare(richText(markdown.toWellFormed()).text),
          JSON.stringify(markdown).slice(0, 2_000)
        )
    }
  })
})
