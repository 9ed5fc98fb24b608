/** Payloads → messages of Discord: none is too long, no word is lost, and nothing of a text is a mark. */
import { layer } from "@effect/vitest"
import { Layer } from "effect"
import { assert, describe, it } from "vitest"
import { richText } from "../../../src/bridge/format/richText.ts"
import type { ReplyPayload } from "../../../src/bridge/messages/ReplyPayload.ts"
import { withAddresses } from "../../../src/channels/discord/outgoing/markdown.ts"
import { type Body, isBody, render } from "../../../src/channels/discord/outgoing/render.ts"
import { fieldsOf } from "../../../src/channels/discord/outgoing/write.ts"
import { componentsOf, contentOf, notifiedBy } from "../../../src/testing/discord/content.ts"
import { anyDocument } from "../../bridge/format/documents.ts"
import { asShown } from "./reading.ts"

const bodies = (payload: ReplyPayload): ReadonlyArray<Body> =>
  render(payload).map(({ body }) => {
    if (!isBody(body)) throw new Error(`no body: ${JSON.stringify(body)}`)
    return body
  })

const output = (text: string) => bodies({ text }).map(({ content }) => content)

const bare = (text: string) => text.replace(/[\s\u200b]/g, "")
const unnumbered = (text: string) => text.replace(/\n\n\(\d+\/\d+\)$/, "")

/** For two texts, what follows where they begin to differ. */
const differing = (one: string, other: string): readonly [string, string] => {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const from = Math.max(0, at - 10)
  return [one.slice(from, at + 30), other.slice(from, at + 30)]
}

/** As the fake takes it; throws where it is refused. */
const taken = (body: Body) => {
  const fields = fieldsOf(body, "nonce")
  assert.strictEqual(contentOf(fields), body.content)
  componentsOf(fields)
  assert.isEmpty(notifiedBy(body.content, fields, undefined))
  assert.isAtMost(body.content.length, 2_000)
}

describe("a message of Discord", () => {
  it.each([
    ["**b** _i_ ~~s~~ `c`", "**b** *i* ~~s~~ `c`"],
    ["[x](https://e.org/a_b)", "[x](<https://e.org/a_b>)"],
    ["see https://e.org/a_b_c.", "see https://e.org/a_b_c."],
    ["[f](src/a.ts)", "f (`src/a.ts`)"],
    ["1 * 2 * 3 and snake_case_name", "1 \\* 2 \\* 3 and snake\\_case\\_name"],
    ["<@123456789012345678> @everyone", "\\<\\@123456789012345678\\> \\@everyone"],
    ["||secret||", "\\|\\|secret\\|\\|"],
    ["# Title\n\ntext", "**Title**\n\ntext"],
    ["- a\n- b", "• a\n• b"],
    ["3. a\n4. b", "3\\. a\n4\\. b"],
    ["> quoted\n> more", "> quoted\n> more"],
    ["``a`b``", "``a`b``"],
    ["```ts\nlet\n```", "```ts\nlet\n```"],
    ["````\n```\nx\n```\n````", "```\n``\u200b`\nx\n``\u200b`\n```"],
    ["~~~\n`````x\n~~~", "```\n``\u200b``\u200b`x\n```"],
    ["**a**_b_", "**a**\u200b*b*"],
    ["\\# no title", "\\# no title"],
    ["\\-# small", "\\-# small"]
  ])("is Markdown in which only marks are marks: %j", (text, expected) => {
    assert.deepStrictEqual(output(text), [expected])
  })

  it.each([
    ["4,096 emoji", "👩‍👩‍👧".repeat(4_096)],
    ["only marks", "*_~`|".repeat(2_000)],
    ["names", "<@123456789012345678> @everyone @here <@&5> ".repeat(300)],
    ["3,000 links", "[a](https://e.org/x) ".repeat(3_000)],
    ["a long link", `[a](https://e.org/${"x".repeat(3_000)})`],
    ["an open fence", `\`\`\`js\n${"let x = 1\n".repeat(2_000)}`],
    ["backticks in a fence", `~~~\n${"```\n".repeat(1_000)}~~~`],
    ["a quotation", "> line\n".repeat(2_000)],
    ["lone surrogates", "\ud800x\udfff ".repeat(2_000)]
  ])("is within the limits, and no one is notified: %s", (_, text) => {
    const all = bodies({ text })
    assert.isNotEmpty(all)
    for (const body of all) taken(body)
  })

  it("opens a block of code again that was cut", () => {
    const all = output(`\`\`\`js\n${"let x = 1\n".repeat(600)}\`\`\``)
    assert.isAbove(all.length, 2)
    for (const each of all) assert.match(each, /^```js\n[^`]+\n```\n\n\(\d\/\d\)$/)
  })

  it("has its buttons below the last piece, each with data of its own", () => {
    const row = (from: number) =>
      Array.from({ length: 7 }, (_, at) => ({ label: "x".repeat(100), data: `d${from + at}` }))
    const [first, last] = bodies({ text: "x ".repeat(1_200), buttons: [row(0), row(4), row(20), row(40), row(60)] })
    assert.isUndefined(first?.buttons)
    const rows = last?.buttons ?? []
    assert.isAtMost(rows.length, 5)
    for (const each of rows) assert.isAtMost(each.length, 5)
    assert.isTrue(rows.flat().every(({ label }) => label.length <= 80))
    const data = rows.flat().map((each) => each.data)
    assert.strictEqual(new Set(data).size, data.length)
    if (last !== undefined) taken(last)
  })

  it("is an error by a mark, a file by its name, and silent if it is to be", () => {
    const [text, file] = render({ text: "no", isError: true, mediaUrls: ["/tmp/a b.txt"], silent: true })
    assert.deepStrictEqual(text, { text: "⚠️ no", body: { content: "⚠️ no", silent: true } })
    assert.deepStrictEqual(file, { text: "a b.txt", body: { content: "", silent: true }, file: "/tmp/a b.txt" })
    assert.deepStrictEqual(render({ text: " \n " }), [])
  })
})

layer(Layer.empty)("any document on Discord", (it) => {
  it.prop(
    "is within the limits, nothing of it is lost, and no new mark appears",
    [anyDocument],
    ([text]) => {
      const rich = withAddresses(richText(text))
      const pieces = render({ text })
      for (const piece of pieces) {
        if (!isBody(piece.body)) throw new Error("no body")
        taken(piece.body)
        const read = asShown(piece.body.content)
        const [found, expected] = differing(bare(read.text), bare(piece.text))
        assert.strictEqual(found, expected)
        assert.strictEqual(read.lineMarks, 0)
      }
      assert.strictEqual(bare(pieces.map((piece) => unnumbered(piece.text)).join("")), bare(rich.text))
    },
    { arbitrary: { runs: 300 } }
  )
})
