/** No text of others is a command to the runner of a CI, however it arrives. */
import { describe, expect, it } from "vitest"
import { inert } from "../../../src/program/drawRun.ts"

/** Written in these pieces. */
const output = (pieces: ReadonlyArray<string>) => {
  let end = ""
  let all = ""
  for (const piece of pieces) {
    const [next, text] = inert(end, piece)
    end = next
    all += text
  }
  return all
}

const whole = [
  ["::set-output name=a::b\n", ": :set-output name=a::b\n"],
  ["text\n \t::error::no", "text\n \t: :error::no"],
  [":::debug::x", ": ::debug::x"],
  ["see ##[add-mask]x", "see ## [add-mask]x"],
  ["##vso[task.setvariable variable=a]b", "##vso [task.setvariable variable=a]b"],
  ["###[group]\n##[endgroup]", "### [group]\n## [endgroup]"]
] as const

const same = ["std::vector\n", "a: b\n## Title\n", "# [link](x)\n", "", " \n\n", ": x\n"]

describe("what begins a command is broken", () => {
  it.each(whole)("%j", (text, expected) => {
    expect(output([text])).toBe(expected)
  })

  it.each(whole)("%j, character by character", (text, expected) => {
    expect(output([...text])).toBe(expected)
  })

  it.each(whole)("%j, behind a long row and in two pieces", (text, expected) => {
    for (let at = 0; at <= text.length; at++) {
      const row = `${"long ".repeat(20)}\n${" ".repeat(100)}`
      expect(output([row, text.slice(0, at), text.slice(at)])).toBe(row + expected)
    }
  })

  it.each(same)("nothing else: %j", (text) => {
    expect(output([...text])).toBe(text)
  })
})
