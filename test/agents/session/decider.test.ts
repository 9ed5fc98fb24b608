/** The person of an answer is in its event, short and harmless, whatever a caller gives for one. */
import { assert, describe, it } from "vitest"
import { deciderOf, deciderProblem } from "../../../src/agents/session/answers.ts"

const names: ReadonlyArray<readonly [string, string, string | undefined]> = [
  ["a name", "Ann", "Ann"],
  ["spaces", "  Ann \n Lee\t", "Ann Lee"],
  ["nothing to see", "\u200b\u202e \u0000", undefined],
  ["another direction", "Ann\u202eeeL", "AnneeL"],
  ["an escape sequence", "\u001b[31mAnn", "[31mAnn"],
  ["64 characters", "x".repeat(64), "x".repeat(64)],
  ["65 characters", "x".repeat(65), `${"x".repeat(63)}…`],
  ["a megabyte", "x".repeat(1_000_000), `${"x".repeat(63)}…`],
  ["64 flags", "🇫🇷".repeat(64), "🇫🇷".repeat(64)],
  ["half a character", "Ann\ud83d", "Ann"]
]

describe("the person of an answer", () => {
  it.each(names)("is kept of %s", (_, input, stored) => {
    assert.deepStrictEqual(deciderOf({ person: input, where: input }), {
      ...(stored === undefined ? {} : { person: stored, where: stored })
    })
  })

  it.each([
    [{}, undefined],
    [{ person: undefined }, undefined],
    [{ person: "Ann", where: "chat" }, undefined],
    [undefined, undefined],
    [{ person: 7 }, "person"],
    [{ where: null }, "where"],
    ["Ann", "decider"],
    [null, "decider"]
  ])("is refused if it is not a text: %o", (input, option) => {
    assert.strictEqual(deciderProblem(input)?.option, option)
  })
})
