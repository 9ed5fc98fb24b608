/** Words that stop, where they are the whole message and meant for the account. */
import { assert, describe, it } from "vitest"
import { isStopWord, parseCommand } from "../../../src/bridge/commands/parse.ts"
import type { ChannelMessage } from "../../../src/bridge/messages/ChannelMessage.ts"
import { content, person } from "../heard.ts"

describe("a stop word", () => {
  it.each([
    ...["stop", "Stop!", "STOP", " stop.\n", "stopp", "Halt!!!", "стоп", "СТОП", "停止", "取消。", "ストップ", "dur!"],
    ...[
      "arrête",
      "arre\u0302te",
      "¡Alto!",
      "توقف",
      "정지",
      "st\u200bop",
      "ｓｔｏｐ",
      "🛑 stop",
      "stop 🙏",
      "please  stop"
    ]
  ])("%j", (text) => assert.isTrue(isStopWord(text)))

  it.each([
    ...["stop the server", "don't stop", "stops", "", "no", "wait", "1", "🛑", "stop\nthe tests", "stop?then go"],
    ...["\u0000", "ѕtop", "x".repeat(100_000), `stop${" ".repeat(100_000)}`, "toString", "__proto__"]
  ])("is not %j", (text) => assert.isFalse(isStopWord(text.slice(0, 100_100))))

  const context = { role: "user", accounts: ["bot"], agents: [], directories: [] } as const
  const parsed = (more: Partial<ChannelMessage>, text = "stop") =>
    parseCommand(content(text, person("1"), more), context)._tag

  it("counts in a group only if it is meant for the account", () => {
    assert.strictEqual(parsed({ chat: "group", addressed: true }), "Given")
    assert.strictEqual(parsed({ chat: "group", addressed: false }), "NoCommand")
    assert.strictEqual(parsed({ chat: "group", addressed: true }, "@bot stop"), "Given")
  })
  it("is the caption of a picture otherwise", () =>
    assert.strictEqual(parsed({ attachments: [{ kind: "image", fileId: "f" }] }), "NoCommand"))
})
