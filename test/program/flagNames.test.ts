/** The cure of every failure, in the words of the program: flags that exist, and no option of the library that none sets. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { FailureReason, TimedOut } from "../../src/contract/AgentError.ts"
import { ErrorCategory } from "../../src/contract/ErrorCategory.ts"
import { AgentFailed, WatchState } from "../../src/contract/Failures.ts"
import { helpOf } from "../../src/contract/help.ts"
import { inFlags } from "../../src/program/flagNames.ts"
import { runFlags } from "../../src/program/flags.ts"

describe("inFlags", () => {
  it.each([
    ["Raise `timeouts.idle`.", "Raise --idle-timeout."],
    ["Name another (`fallbackModel`).", "Name another (--fallback-model)."],
    ["Start fewer at once (`limits`).", "Start fewer at once."],
    ["`reins doctor` says how.", "`reins doctor` says how."],
    ["Leave `toString` out.", "Leave `toString` out."]
  ])("%s", (text, expected) => {
    assert.strictEqual(inFlags(text), expected)
  })

  it("names flags that exist", () => {
    const names = new Set(
      Object.values(runFlags).flatMap((flag) => JSON.stringify(flag).match(/(?<="name":")[^"]+/g) ?? [])
    )
    const helps = [
      ...ErrorCategory.literals.map((category) => helpOf(new AgentFailed({ code: "x", category, detail: "" }))),
      ...WatchState.literals.map((state) => helpOf(new TimedOut({ state, budgetMs: 1 })))
    ]
    for (const help of helps) {
      const visible = inFlags(help)
      assert.match(visible, /^[A-Z].*\.$/)
      assert.notInclude(visible.replaceAll("`reins doctor`", ""), "`")
      for (const [flag = ""] of visible.matchAll(/(?<=--)[\w-]+/g)) assert.isTrue(names.has(flag), flag)
    }
  })
})

describe.each(FailureReason.members.map((member) => [member.identifier, member] as const))("%s", (_, member) => {
  it.effect("has a cure without words of the library", () =>
    Effect.gen(function* () {
      for (const reason of yield* Arbitrary.sampleEffect(Arbitrary.schema(member), { count: 5, seed: 1 })) {
        if (reason._tag === "InvalidParams" || reason._tag === "UnsupportedOption") continue
        if (reason._tag === "CommandLineTooLong" || reason._tag === "NotInstalled") continue
        // Commands of the program are its own words.
        assert.notInclude(inFlags(helpOf(reason)).replaceAll(/`reins [a-z ]+`/g, ""), "`")
      }
    })
  )
})
