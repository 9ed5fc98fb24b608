/** Foreign text that is safe to show. */
import { it as effectIt } from "@effect/vitest"
import { describe, expect, it } from "vitest"
import { harmless, plain } from "../src/harmless.ts"
import { foreign } from "./kit/foreignText.ts"

/** Without the control characters that do not stay, and without what they become. */
const withoutControls = (text: string) => text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u2400-\u2421\ufffd]/g, "")

describe("harmless", () => {
  it.each([
    ["colours", "a\x1b[31mred\x1b[0m", "a␛[31mred␛[0m"],
    ["a title", "\x1b]0;owned\x07", "␛]0;owned␇"],
    ["a carriage return that overwrites", "rm -rf /\rls", "rm -rf /␍ls"],
    ["line ends of Windows", "a\r\nb\r", "a\nb"],
    ["one-character sequences", "\x9b31m\x90q\x7f", "�31m�q␡"],
    ["what is fine as it is", "tab\there\nünï 日本 👩‍👩‍👧", "tab\there\nünï 日本 👩‍👩‍👧"]
  ])("%s", (_, text, expected) => expect(harmless(text)).toBe(expected))

  const alone = ([text]: readonly [string]) => {
    const clean = harmless(text)
    expect(clean).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/)
    expect(withoutControls(clean)).toBe(withoutControls(text))
    expect(harmless(clean)).toBe(clean)
  }
  effectIt.prop("leaves no control character, and all else alone", [foreign], alone, { arbitrary: { runs: 1_000 } })
})

it("plain text turns nothing round, ends no line and hides nothing", () => {
  expect(plain("a\u202eb\u2066c\u061cd\u2028e\u200bf\ufeffg\u00adh\x1b")).toBe("a�b�c�d�e�f�g�h␛")
  expect(plain("ünï 日本 👩‍👩‍👧\n\t")).toBe("ünï 日本 👩‍👩‍👧\n\t")
})
