/** The failures after which another agent may be asked, for each reason and category. */
import { assert, describe, it } from "vitest"
import { AgentFailed, Exited, TimedOut } from "../../src/contract/AgentError.ts"
import { ErrorCategory } from "../../src/contract/ErrorCategory.ts"
import { askAnother, mayFallBack } from "../../src/contract/MayRetry.ts"
import { failedWith, notInstalled } from "../agents/several/kit.ts"

const passing = ["auth", "billing", "rate_limit"]

describe("another agent may be asked", () => {
  it("if the first is not installed", () => assert.isTrue(mayFallBack({ reason: notInstalled, hadOutput: false })))

  it.each(ErrorCategory.literals)("after %s only if the account is the cause", (category) => {
    const exited = new Exited({ exitCode: 1, category, stderr: "" })
    for (const reason of [failedWith(category), exited]) {
      assert.strictEqual(mayFallBack({ reason, hadOutput: false }), passing.includes(category))
      assert.isFalse(mayFallBack({ reason, hadOutput: true }), "after output")
    }
  })

  it("not after output", () => assert.isFalse(mayFallBack({ reason: notInstalled, hadOutput: true })))

  it("not after any of the other reasons", () => {
    const yes = Object.entries(askAnother).filter(([_, verdict]) => verdict !== "no")
    assert.sameMembers(
      yes.map(([tag]) => tag),
      ["NotInstalled", "AgentFailed", "Exited"]
    )
    assert.isFalse(mayFallBack({ reason: new TimedOut({ state: "startup", budgetMs: 1 }), hadOutput: false }))
  })

  it("even if `retryable` is false", () => {
    const reason = new AgentFailed({ code: "c", category: "auth", detail: "" })
    assert.deepStrictEqual([reason.retryable, mayFallBack({ reason, hadOutput: false })], [false, true])
  })
})
