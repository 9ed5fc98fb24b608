/** Text of others that is safe to show. */
import { it as effectIt } from "@effect/vitest"
import { describe, expect, it } from "vitest"
import { exact, harmless } from "../../../src/contract/text/harmless.ts"
import { foreign, unseenIn } from "../../kit/foreignText.ts"

/** The characters behind the escapes. */
const unescaped = (text: string) =>
  text.replace(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

describe("harmless", () => {
  it.each([
    ["colours", "a\x1b[31mred\x1b[0m", "a\\u001b[31mred\\u001b[0m"],
    ["a title", "\x1b]0;owned\x07", "\\u001b]0;owned\\u0007"],
    ["a link", "\x1b]8;;http://x\x1b\\", "\\u001b]8;;http://x\\u001b\\"],
    ["a carriage return that overwrites", "rm -rf /\rls", "rm -rf /\\u000dls"],
    ["line ends of Windows", "a\r\nb", "a\nb"],
    ["one-character sequences", "\x9b31m\x90q\x7f", "\\u009b31m\\u0090q\\u007f"],
    ["what turns round", "a\u202eb\u2066c\u061cd\u200e", "a\\u202eb\\u2066c\\u061cd\\u200e"],
    ["other line ends", "a\u2028b\u2029c\x85d", "a\\u2028b\\u2029c\\u0085d"],
    ["what takes no room", "a\u200bb\u2060c\ufeffd\u00ade\u034ff", "a\\u200bb\\u2060c\\ufeffd\\u00ade\\u034ff"],
    ["what is blank and no blank", "a\u2800b\u3164c\uffa0d\u115fe", "a\\u2800b\\u3164c\\uffa0d\\u115fe"],
    ["tags", "a\u{e0041}\u{e007f}", "a\\udb40\\udc41\\udb40\\udc7f"],
    ["selectors that carry bytes", "a\ufe00b\u{e0100}c\ufe0f", "a\\ufe00b\\udb40\\udd00c\\ufe0f"],
    ["a joiner that joins nothing", "a\u200db👩\u200d", "a\\u200db👩\\u200d"],
    ["half a character", "a\ud800b\udc00", "a\\ud800b\\udc00"],
    ["what is fine as it is", "tab\there\nünï 日本 👩‍👩‍👧 ✔️ 1️⃣ 👍🏽 🇩🇪", "tab\there\nünï 日本 👩‍👩‍👧 ✔️ 1️⃣ 👍🏽 🇩🇪"]
  ])("%s", (_, text, expected) => expect(harmless(text)).toBe(expected))

  const alone = ([text]: readonly [string]) => {
    const clean = harmless(text)
    expect(unseenIn(clean)).toEqual([])
    expect(unescaped(clean)).toBe(text.replaceAll("\r\n", "\n"))
    expect(harmless(clean)).toBe(clean)
  }
  effectIt.prop("hides nothing, loses nothing, and finds nothing to do a second time", [foreign], alone, {
    arbitrary: { runs: 1_000 }
  })

  it("keeps the value of a line of JSON", () => {
    const value = { "a\u202e": ["\x1b[31m\x9b\u{e0041}\ud800\r\n", "👩‍👩‍👧"] }
    const line = harmless(JSON.stringify(value))
    expect(unseenIn(line)).toEqual([])
    expect(JSON.parse(line)).toEqual(value)
  })

  it("takes linear time", () => {
    for (const piece of ["\x1b", "👩\u200d", "1\ufe0f", "\u202e"]) {
      const startedAt = performance.now()
      harmless(piece.repeat(40_000))
      expect(performance.now() - startedAt).toBeLessThan(2_000)
    }
  })
})

describe("exact", () => {
  it.each([
    ["a blank that is another", "rm\u00a0-rf\u2003/\u3000", "rm\\u00a0-rf\\u2003/\\u3000"],
    ["a carriage return, wherever", "ls\r\nrm", "ls\\u000d\nrm"],
    ["the joiners of emoji", "✔️", "✔\\ufe0f"],
    ["what is fine as it is", "tab\there\nünï 日本", "tab\there\nünï 日本"]
  ])("%s", (_, text, expected) => {
    expect(exact(text)).toBe(expected)
  })

  const whole = ([text]: readonly [string]) => {
    expect(unseenIn(exact(text))).toEqual([])
    expect(unescaped(exact(text))).toBe(text)
    expect(harmless(exact(text))).toBe(exact(text))
  }
  effectIt.prop("loses nothing, and is harmless", [foreign], whole, { arbitrary: { runs: 1_000 } })
})
