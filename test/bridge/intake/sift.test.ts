/** Which attachments are accepted, and notices about the others. */
import { assert, describe, it } from "vitest"
import { sift } from "../../../src/bridge/intake/sift.ts"
import type { MessageAttachment } from "../../../src/bridge/messages/ChannelMessage.ts"
import { content, person } from "../incomingUpdates.ts"

const file = (more: Partial<MessageAttachment> = {}): MessageAttachment => ({ kind: "document", fileId: "f", ...more })
const sifted = (attachments: ReadonlyArray<MessageAttachment>, text = "", options = {}) =>
  sift(content(text, person("1"), { attachments }), { downloadBytes: 20_000_000, hasTranscriber: false, ...options })

describe("attachments", () => {
  it("are accepted up to the limit, or with an unknown size", () => {
    const files = [file({ bytes: 20_000_000 }), file(), file({ kind: "image", bytes: 5 }), file({ kind: "audio" })]
    assert.deepStrictEqual(sifted(files).message.attachments, files)
    assert.deepStrictEqual(sifted(files).notices, [])
  })
  it("that are too large are refused with a notice, and the others accepted", () => {
    const {
      message,
      notices: reported,
      isEmpty
    } = sifted([file({ name: "big.zip", bytes: 20_000_001 }), file()], "look")
    assert.lengthOf(message.attachments, 1)
    assert.deepStrictEqual(reported, [`"big.zip" was not accepted: it has 21 MB, and the limit is 20 MB.`])
    assert.isFalse(isEmpty)
  })
  it("with voice are refused with one notice", () => {
    const recording = file({ kind: "voice", bytes: 5 })
    const without = sifted([recording, recording])
    assert.isTrue(without.isEmpty)
    assert.lengthOf(without.notices, 1)
    assert.match(without.notices[0] ?? "", /voice.*`transcribe`.*reins\.toml/i)
  })
  it("with voice are accepted as files if they can be transcribed", () => {
    const recording = file({ kind: "voice", bytes: 5 })
    assert.deepStrictEqual(sifted([recording], "", { hasTranscriber: true }).message.attachments, [recording])
    const large = sifted([{ ...recording, bytes: 20_000_001 }], "", { hasTranscriber: true })
    assert.deepStrictEqual(large.notices, ["The voice message was not accepted: it has 21 MB, and the limit is 20 MB."])
  })
  it("of a channel without files are refused with a notice", () =>
    assert.match(
      sifted([file({ name: "a.md" })], "", { downloadBytes: undefined }).notices.join(),
      /"a.md" was not accepted/
    ))
  it("are limited to 20, with few lines about the others", () => {
    const { message, notices: reported } = sifted(Array.from({ length: 23 }, () => file()))
    assert.lengthOf(message.attachments, 20)
    assert.match(reported.join(), /^3 files were not accepted/)
    const large = Array.from({ length: 50 }, (_, at) => file({ name: `${at}`, bytes: 1e9 }))
    assert.lengthOf(sifted(large).notices, 6)
  })
  it("with a hostile name give a short, harmless line", () => {
    const [line = ""] = sifted([file({ name: `\u202egpj.exe\n${"x".repeat(100_000)}`, bytes: 1e9 })]).notices
    assert.isBelow(line.length, 200)
    assert.notMatch(line, /[\u202e\n]/)
  })
})

describe("an empty message", () => {
  it.each([
    ["nothing", ""],
    ["spaces", " \n\t"],
    ["NUL", "\u0000"],
    ["no width", "\u200b\u2060"],
    ["half a character", "\ud83d"]
  ])("%s", (_name, text) => {
    const { isEmpty, notices: reported } = sifted([], text)
    assert.isTrue(isEmpty)
    assert.match(reported.join(), /text, images and files/)
  })
  it.each([
    ["a text", "x"],
    ["an emoji", "👍"],
    ["a mark", "?"],
    ["100 kB", "x".repeat(100_000)]
  ])("is not a message with %s", (_name, text) => {
    const { isEmpty, notices: reported, message } = sifted([], text)
    assert.isFalse(isEmpty)
    assert.deepStrictEqual(reported, [])
    assert.strictEqual(message.text, text)
  })
})
