/** Which attachments are taken, and what is told of the others. */
import { assert, describe, it } from "vitest"
import { sift } from "../../../src/bridge/intake/sift.ts"
import type { MessageAttachment } from "../../../src/bridge/messages/ChannelMessage.ts"
import { content, person } from "../heard.ts"

const file = (more: Partial<MessageAttachment> = {}): MessageAttachment => ({ kind: "document", fileId: "f", ...more })
const sifted = (attachments: ReadonlyArray<MessageAttachment>, text = "", options = {}) =>
  sift(content(text, person("1"), { attachments }), { downloadBytes: 20_000_000, ...options })

describe("attachments", () => {
  it("of a size that can be received, or that is not known, are taken", () => {
    const files = [file({ bytes: 20_000_000 }), file(), file({ kind: "image", bytes: 5 }), file({ kind: "audio" })]
    assert.deepStrictEqual(sifted(files).message.attachments, files)
    assert.deepStrictEqual(sifted(files).notices, [])
  })
  it("that are too large are notices, and the others taken", () => {
    const { message, told: reported, isEmpty } = sifted([file({ name: "big.zip", bytes: 20_000_001 }), file()], "look")
    assert.lengthOf(message.attachments, 1)
    assert.deepStrictEqual(reported, [`"big.zip" was not taken: it has 21 MB, and at most 20 MB can be received.`])
    assert.isFalse(isEmpty)
  })
  it("of voice need a transcriber", () => {
    const replies = file({ kind: "voice", bytes: 5 })
    const without = sifted([replies, replies])
    assert.isTrue(without.isEmpty)
    assert.lengthOf(without.notices, 1)
    assert.match(without.notices[0] ?? "", /voice/i)
    assert.deepStrictEqual(sifted([replies], "", { hasTranscriber: true }).notices, [])
  })
  it("of a channel without files are told", () =>
    assert.match(
      sifted([file({ name: "a.md" })], "", { downloadBytes: undefined }).notices.join(),
      /"a.md" was not taken/
    ))
  it("are 20 at most, and the lines about them few", () => {
    const { message, told: reported } = sifted(Array.from({ length: 23 }, () => file()))
    assert.lengthOf(message.attachments, 20)
    assert.match(reported.join(), /^3 files were not taken/)
    const large = Array.from({ length: 50 }, (_, at) => file({ name: `${at}`, bytes: 1e9 }))
    assert.lengthOf(sifted(large).notices, 6)
  })
  it("with a hostile name make a short and harmless line", () => {
    const [line = ""] = sifted([file({ name: `\u202egpj.exe\n${"x".repeat(100_000)}`, bytes: 1e9 })]).notices
    assert.isBelow(line.length, 200)
    assert.notMatch(line, /[\u202e\n]/)
  })
})

describe("a message without anything", () => {
  it.each([
    ["nothing", ""],
    ["spaces", " \n\t"],
    ["NUL", "\u0000"],
    ["no width", "\u200b\u2060"],
    ["half a character", "\ud83d"]
  ])("%s", (_name, text) => {
    const { isEmpty, told: reported } = sifted([], text)
    assert.isTrue(isEmpty)
    assert.match(reported.join(), /text, images and files/)
  })
  it.each([
    ["a text", "x"],
    ["an emoji", "👍"],
    ["a mark", "?"],
    ["100 kB", "x".repeat(100_000)]
  ])("is not %s", (_name, text) => {
    const { isEmpty, told: reported, message } = sifted([], text)
    assert.isFalse(isEmpty)
    assert.deepStrictEqual(reported, [])
    assert.strictEqual(message.text, text)
  })
})
