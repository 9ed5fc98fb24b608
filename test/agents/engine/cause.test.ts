/** The stderr of a failure: in a field and in its message, without the caller's text. */
import { assert, describe, it } from "vitest"
import { withCause } from "../../../src/agents/engine/judge.ts"
import {
  Aborted,
  AgentFailed,
  Exited,
  type FailureReason,
  Killed,
  NoResult,
  TimedOut
} from "../../../src/contract/AgentError.ts"

const stderr = "Warming up\nError resuming session: Invalid session identifier\n  Use --list-sessions\nthe prompt"
const excerpt = "Error resuming session: Invalid session identifier\nUse --list-sessions"
const reported = "Error resuming session: Invalid session identifier · Use --list-sessions"

const exited = (category: "crash" | "auth" = "crash") => new Exited({ exitCode: 42, category, stderr: "" })

const failed = (reason: FailureReason, hint?: string) =>
  withCause({ failure: reason }, { stderr, texts: ["the prompt"], ...(hint === undefined ? {} : { hint }) }).failure

describe("the cause of", () => {
  it.each<readonly [string, FailureReason, string]>([
    ["an exit", exited(), `The process ended with exit code 42: ${reported}`],
    ["a signal", new Killed({ signal: "SIGSEGV", stderr: "" }), `The process was ended by SIGSEGV: ${reported}`],
    ["an end without a result", new NoResult({ stderr: "" }), `The run ended without a result: ${reported}`],
    [
      "a start that takes too long",
      new TimedOut({ state: "startup", budgetMs: 60_000 }),
      `No output for 60 s, the limit for the state "startup": ${reported}`
    ]
  ])("%s", (_, reason, message) => {
    const found = failed(reason)
    assert.strictEqual(found?.message, message)
    assert.deepInclude<object>(found ?? {}, {
      _tag: reason._tag,
      code: reason.code,
      category: reason.category,
      stderr: excerpt
    })
  })

  it("an exit stays of its category", () => {
    assert.strictEqual(failed(exited("auth"))?.category, "auth")
  })

  const others: ReadonlyArray<FailureReason> = [
    new Aborted(),
    new TimedOut({ state: "idle", budgetMs: 5 }),
    new AgentFailed({ code: "x", category: "other", detail: "its own words" })
  ]
  it.each(others.map((reason) => [reason._tag, reason] as const))("%s is not on stderr", (_, reason) => {
    assert.strictEqual(failed(reason), reason)
  })

  it("an exit can have a hint behind it", () => {
    assert.strictEqual(
      failed(exited(), "see doctor")?.message,
      `The process ended with exit code 42: ${reported} (see doctor)`
    )
  })

  it("success has no cause", () => {
    const ending = { failure: undefined, exit: { code: 0 } }
    assert.strictEqual(withCause(ending, { stderr, texts: [] }), ending)
  })
})
