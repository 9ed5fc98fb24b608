/** Verdict of the CLI × exit of its process → outcome and reason. */
import { assert, describe, it } from "vitest"
import { type Ending, endingOf, judge } from "../../../src/agents/engine/judge.ts"
import { errorEvent, makeResult } from "../../../src/agents/engine/result.ts"
import type { Verdict } from "../../../src/cli/Cli.ts"
import {
  Aborted,
  AgentFailed,
  BillingMismatch,
  CommandLineTooLong,
  type FailureReason,
  InvalidParams,
  Killed,
  NotInstalled,
  PermissionModeMismatch,
  SchemaNotMet,
  SessionChanged,
  SpawnFailed,
  TimedOut,
  UnsupportedOption
} from "../../../src/contract/AgentError.ts"
import type { ProcessExit, RunOutcome } from "../../../src/contract/AgentRunResult.ts"
import type { RunReason } from "../../../src/contract/FailureReason.ts"

const success: Verdict = { _tag: "Success" }
const failed = new AgentFailed({ code: "server_error", category: "overloaded", detail: "try later" })
const failure: Verdict = { _tag: "Failure", reason: failed }

const resultOf = (ending: Ending, stderr = "") =>
  makeResult({ ending, text: "what was said", durationMs: 5, report: { sessionId: "s" }, stderr })

describe("verdict and exit", () => {
  const table: ReadonlyArray<readonly [string, Verdict | undefined, ProcessExit, RunReason]> = [
    ["success, left well", success, { code: 0 }, "completed"],
    ["success, left badly", success, { code: 1 }, "exited"],
    ["success, ended from outside", success, { code: 143 }, "exited"],
    ["success, killed", success, { signal: "SIGKILL" }, "killed"],
    ["failure, left badly", failure, { code: 1 }, "agent_failed"],
    ["failure, left well", failure, { code: 0 }, "agent_failed"],
    ["failure, killed", failure, { signal: "SIGKILL" }, "agent_failed"],
    ["nothing, left well", undefined, { code: 0 }, "no_result"],
    ["nothing, left badly", undefined, { code: 1 }, "exited"],
    ["nothing, ended from outside", undefined, { code: 143 }, "exited"],
    ["nothing, killed", undefined, { signal: "SIGTERM" }, "killed"]
  ]

  it.each(table)("%s", (_, verdict, exit, reason) => {
    const ending = judge(verdict, exit, "")
    const result = resultOf(ending)
    assert.deepInclude(result, {
      reason,
      outcome: reason === "completed" ? "completed" : "failed",
      aborted: false,
      text: "what was said",
      sessionId: "s",
      durationMs: 5,
      exit
    })
    assert.strictEqual(ending.failure === undefined, reason === "completed")
  })

  it.each([
    [{ code: 3 }, "The process ended with exit code 3"],
    [{ code: 137 }, "The process ended with exit code 137, as after SIGKILL; the machine may be out of memory"],
    [{ code: 143 }, "The process ended with exit code 143, as after SIGTERM"],
    [{ signal: "SIGKILL" }, "The process was ended by SIGKILL; the machine may be out of memory"],
    [{ signal: "SIGSEGV" }, "The process was ended by SIGSEGV"]
  ] as const)("%j is told as it is", (exit, message) => {
    assert.strictEqual(judge(undefined, exit, "").failure?.message, message)
  })

  it("an exit is told in the category that its stderr speaks of", () => {
    const categoryOf = (stderr: string) => judge(undefined, { code: 1 }, stderr).failure?.category
    assert.strictEqual(categoryOf(""), "crash")
    assert.strictEqual(categoryOf("segmentation fault"), "crash")
    assert.strictEqual(categoryOf("Not logged in · Please run /login"), "auth")
    assert.strictEqual(categoryOf(`error: unknown option '-x'\n${"usage\n".repeat(200)}`), "invalid_request")
  })

  it("a present result is never called missing", () => {
    const message = judge(success, { code: 1 }, "").failure?.message ?? ""
    assert.notMatch(message, /no result/)
  })
})

describe("a certain end", () => {
  it("needs no exit, and the process may leave by itself", () => {
    assert.deepStrictEqual(endingOf(success), { failure: undefined, mayLinger: true })
    assert.deepStrictEqual(endingOf(failure), { failure: failed, mayLinger: true })
    assert.strictEqual(endingOf(undefined).failure?._tag, "NoResult")
    assert.notProperty(resultOf(endingOf(success)), "exit")
  })
})

describe("every reason", () => {
  const table: ReadonlyArray<readonly [FailureReason, RunOutcome, RunReason]> = [
    [new NotInstalled({ command: "x", install: "i", signIn: "s" }), "failed", "not_installed"],
    [new SpawnFailed({ command: "x", problem: "EAGAIN" }), "failed", "spawn_failed"],
    [new InvalidParams({ option: "o", problem: "p" }), "failed", "invalid_params"],
    [new UnsupportedOption({ option: "o", cli: "x" }), "failed", "unsupported_option"],
    [new CommandLineTooLong({ option: "o", bytes: 2, limitBytes: 1 }), "failed", "command_line_too_long"],
    [new BillingMismatch({ policy: "api-key", reported: "none" }), "failed", "billing_mismatch"],
    [new PermissionModeMismatch({ asked: "plan", reported: "bypass" }), "failed", "permission_mode_mismatch"],
    [new SessionChanged({ asked: "a", got: "b" }), "failed", "session_changed"],
    [new SchemaNotMet({ errors: [{ path: "/a", message: "is missing" }] }), "failed", "schema_not_met"],
    [new Aborted(), "aborted", "aborted"],
    [new TimedOut({ state: "idle", budgetMs: 1_000 }), "timed_out", "timed_out"],
    [new Killed({ signal: "SIGKILL", stderr: "" }), "failed", "killed"],
    [failed, "failed", "agent_failed"]
  ]

  it.each(table)("$_tag", (reason, outcome, name) => {
    const result = resultOf({ failure: reason })
    assert.deepInclude(result, { outcome, reason: name, aborted: outcome === "aborted" })
    const event = errorEvent(reason)
    assert.isAbove(event.message.length, 0)
    assert.isAbove(event.code.length, 0)
  })

  it("says when it may be tried again, only where the CLI told it", () => {
    const limited = new AgentFailed({ code: "x", category: "rate_limit", detail: "", retryAfterMs: 7 })
    assert.deepInclude(errorEvent(limited), { retryable: true, retryAfterMs: 7, message: "The agent failed: x" })
    assert.notProperty(errorEvent(failed), "retryAfterMs")
  })
})

describe("stderr", () => {
  it("is in the result by its last 4,000 characters", () => {
    const stderr = `${"x".repeat(5_000)}the end`
    for (const exit of [{ code: 1 }, { signal: "SIGKILL" }, { code: 0 }] as const) {
      assert.strictEqual(resultOf(judge(undefined, exit, stderr), stderr).stderrTail, stderr.slice(-4_000))
    }
  })

  it("is left out when it was missing", () => {
    assert.notProperty(resultOf(judge(success, { code: 0 }, "")), "stderrTail")
  })
})

describe("numbers on stderr", () => {
  it.each(["at cli.js:429:13", "x.js:503:7", "phase took 401 ms", "exit 529"])("are not status codes: %s", (stderr) => {
    const { failure } = judge(undefined, { code: 1 }, stderr)
    assert.deepInclude(failure, { category: "crash", retryable: false })
  })
})
