/** Payloads → messages of Telegram: none is refused, no word is lost, and excess is left out. */
import { assert, describe, it } from "vitest"
import type { ReplyPayload } from "../../../src/bridge/messages/ReplyPayload.ts"
import { type Body, isBody, render } from "../../../src/channels/telegram/outgoing/render.ts"
import { keyboardOf } from "../../../src/testing/telegram/keyboard.ts"
import { messageText } from "../../../src/testing/telegram/texts.ts"

const bodies = (payload: ReplyPayload): ReadonlyArray<Body> =>
  render(payload).map(({ body }) => {
    if (!isBody(body)) throw new Error(`no body: ${JSON.stringify(body)}`)
    return body
  })

/** As the fake takes it; throws where it is refused. */
const taken = ({ text, entities = [], buttons }: Body) => {
  const markup = buttons && {
    inline_keyboard: buttons.map((row) => row.map(({ label, data }) => ({ text: label, callback_data: data })))
  }
  keyboardOf({ reply_markup: JSON.stringify(markup) ?? "" })
  return messageText({ text, entities: JSON.stringify(entities) })
}

describe("a message of Telegram", () => {
  it("has marks by place, links that lead somewhere, and other addresses as text", () => {
    const [body] = bodies({ text: "**b** `c` [x](https://e.org) [f](src/a.ts)\n\n```ts\nlet\n```" })
    assert.deepStrictEqual(body, {
      text: "b c x f (src/a.ts)\n\nlet",
      entities: [
        { type: "bold", offset: 0, length: 1 },
        { type: "code", offset: 2, length: 1 },
        { type: "text_link", url: "https://e.org", offset: 4, length: 1 },
        { type: "code", offset: 9, length: 8 },
        { type: "pre", language: "ts", offset: 20, length: 3 }
      ]
    })
  })

  it.each([
    ["nothing", ""],
    ["blanks", " \n\t "],
    ["what Telegram drops", "\u030a\u0333"],
    ["a lone mark", "\u200b"]
  ])("is empty if nothing would be visible: %s", (_, text) => {
    for (const body of bodies({ text, isError: true })) assert.isNotEmpty(taken(body).text)
  })

  it.each([
    ["4,096 emoji", "👩‍👩‍👧".repeat(4_096)],
    ["right to left", "שלום עולם ".repeat(1_000)],
    ["NUL", "a\0b".repeat(3_000)],
    ["lone surrogates", "\ud800x\udfff ".repeat(2_000)],
    ["3,000 links", "[a](https://e.org/x) ".repeat(3_000)],
    ["an open fence", `\`\`\`js\n${"let x = 1\n".repeat(2_000)}`],
    ["a table of 40 columns", `${"|a".repeat(40)}|\n${"|-".repeat(40)}|\n${`${"|bcdefgh".repeat(40)}|\n`.repeat(60)}`],
    ["42 kB", "word ".repeat(8_400)]
  ])("is within the limits, whatever is said: %s", (_, text) => {
    const all = bodies({ text })
    assert.isNotEmpty(all)
    for (const body of all) {
      assert.isAtMost(taken(body).text.length, 3_500)
      assert.isAtMost(body.entities?.length ?? 0, 100)
      assert.isTrue(body.text.isWellFormed())
    }
  })

  it("has the mark of a failure, the reply on the first piece, the buttons on the last", () => {
    const buttons = [[{ label: "Yes", data: "y" }]]
    const all = bodies({ text: "word ".repeat(2_000), isError: true, replyToId: "5", buttons, silent: true })
    assert.strictEqual(all.length, 3)
    assert.match(all[0]?.text ?? "", /^⚠️ word/)
    assert.deepStrictEqual(
      all.map(({ replyToId, buttons: own, silent }) => [replyToId, own, silent]),
      [
        ["5", undefined, true],
        [undefined, undefined, true],
        [undefined, buttons, true]
      ]
    )
  })

  it("has buttons that Telegram takes: short, a hundred, eight in a row", () => {
    const row = Array.from({ length: 70 }, (_, at) => ({ label: `${"long ".repeat(20)}${at}`, data: `d${at}` }))
    const wrong = [
      { label: "x", data: "" },
      { label: "x", data: "ä".repeat(33) },
      { label: "\n", data: "blank" }
    ]
    const [body] = bodies({ text: "x", buttons: [wrong, row, row] })
    if (body === undefined) return assert.fail("no message")
    taken(body)
    const all = body.buttons?.flat() ?? []
    assert.strictEqual(all.length, 100)
    assert.deepStrictEqual(all[0], { label: "…", data: "blank" })
    for (const each of body.buttons ?? []) assert.isAtMost(each.length, 8)
    for (const { label } of all) assert.isAtMost(label.length, 64)
  })

  it("is one for each file, behind the text", () => {
    const pieces = render({
      text: "here",
      mediaUrls: ["/a/b.png", "/a/c.txt"],
      buttons: [[{ label: "Ok", data: "o" }]]
    })
    assert.deepStrictEqual(
      pieces.map(({ text, file }) => [text, file]),
      [
        ["here", undefined],
        ["b.png", "/a/b.png"],
        ["c.txt", "/a/c.txt"]
      ]
    )
    assert.deepStrictEqual(pieces[2]?.body, { text: "", file: "document", buttons: [[{ label: "Ok", data: "o" }]] })
    assert.deepStrictEqual(pieces[1]?.body, { text: "", file: "photo" })
  })

  const many = Number(process.env["PIECES"] ?? 3_000)
  it(`is never refused: ${many} random pieces`, { timeout: 600_000 }, () => {
    let seed = Number(process.env["SEED"] ?? 1)
    const random = (most: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((seed / 2 ** 32) * most)
    }
    const parts = [
      "**",
      "*",
      "_",
      "~~",
      "`",
      "```",
      "```ts\n",
      "\n",
      "\n\n",
      "# ",
      "> ",
      "- ",
      "1. ",
      "[x](",
      ")",
      "https://e.org",
      "tg:x",
      "mailto:a@b.c",
      "|a|b|\n|-|-|\n",
      " ",
      "   ",
      "\t",
      "\0",
      "\r\n",
      "\u202e",
      "\u2028",
      "\u030a",
      "\u0333",
      "\u200d",
      "\ufe0f",
      "👩‍👩‍👧",
      "🇩🇪",
      "\ud800",
      "\udc00",
      "word",
      "שלום",
      "<b>",
      "&amp;",
      "&#0;",
      "\\",
      "x".repeat(300),
      "a b ".repeat(1_100),
      "**a** ".repeat(150)
    ]
    let count = 0
    while (count < many) {
      const text = Array.from({ length: 1 + random(60) }, () => parts[random(parts.length)] ?? "").join("")
      for (const body of bodies({ text, isError: random(5) === 0 })) {
        try {
          taken(body)
        } catch (error) {
          assert.fail(`${String(error)}: ${JSON.stringify(text)} → ${JSON.stringify(body)}`)
        }
        assert.isAtMost(body.entities?.length ?? 0, 100)
        count += 1
      }
    }
  })
})
