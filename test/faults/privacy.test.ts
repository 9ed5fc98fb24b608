/**
 * Secrets and the prompt stay private: whatever a run fails of, nothing that it was given is in an event, an error, a log,
 * a span, a recording or a file that is left. For every CLI value; the CLI tells its whole environment on stderr.
 */
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { vi } from "vitest"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import type { RunReason } from "../../src/contract/FailureReason.ts"
import { resultOf } from "../kit/events.ts"
import { overheard, print } from "./kit/processOverheard.ts"
import { failureOf, successOf } from "./kit/processRecordings.ts"
import { makeSecretRun, type SecretRun } from "./kit/processSecretRuns.ts"
import { assertNone } from "./kit/processSecrets.ts"

vi.setConfig({ maxConcurrency: 4 })

const ids = Object.keys(clis) as ReadonlyArray<CliId>

/** Each with the reason that its result has. */
const failuresOf = (cli: Cli): Readonly<Record<string, readonly [RunReason, SecretRun]>> => {
  const { file } = successOf(cli)
  const stays = [file, "--lines=1", "--then=stay"]
  const unsupported = (["newSessionId", "effort"] as const).find((option) => !cli.supports.has(option))
  return {
    "the CLI gives up": ["agent_failed", { args: failureOf(cli).exits }],
    "the CLI fails before its first line": ["exited", { args: ["--then=exit-1"] }],
    "the CLI is killed": ["killed", { args: [file, "--lines=1", "--then=kill"] }],
    "the CLI gives no result": ["no_result", { args: ["--then=exit-0"] }],
    "the last line is cut off": ["no_result", { args: [file, "--lines=1", '--tail={"type":"te'] }],
    "it is silent from the start": ["timed_out", { args: ["--then=stay"], params: { timeouts: { startup: 500 } } }],
    "it falls silent": ["timed_out", { args: stays, params: { timeouts: { idle: 500 } } }],
    "it takes too long": ["timed_out", { args: stays, params: { timeouts: { total: 1_500 } } }],
    "it is aborted": ["aborted", { args: stays, isAborted: true }],
    "it was aborted before": ["aborted", { params: { abortSignal: AbortSignal.abort() } }],
    "the CLI is not installed": ["not_installed", { options: { command: "/no/such/program" } }],
    "the CLI may not be started": ["spawn_failed", { options: { command: "/etc/passwd" } }],
    "the directory is missing": ["invalid_params", { params: { workingDirectory: "/no/such/directory" } }],
    "it cannot be recorded": ["invalid_params", { params: { record: "/no/such/directory/wire" } }],
    "no key to pay with": ["invalid_params", { options: { billing: "api-key" } }],
    "a variable is too long": ["command_line_too_long", { params: { env: { LONG: "x".repeat(200_000) } } }],
    ...(unsupported === undefined
      ? {}
      : { "an option is not supported": ["unsupported_option", { params: { [unsupported]: "x" } }] }),
    ...(cli.settingsPath === undefined
      ? {}
      : { "its settings cannot be read": ["settings_unreadable", { hasBrokenSettings: true }] })
  }
}

const endsBySelf: ReadonlyArray<RunReason> = ["exited", "killed", "no_result"]

describe.concurrent.each(ids)("secrets of a run of %s are told nowhere when", (id) => {
  it.live.each(Object.entries(failuresOf(clis[id])))("%s", ([_, [reason, run]]) =>
    Effect.gen(function* () {
      const { secrets, user, record, events, result } = yield* makeSecretRun(id, run)
      const before = user.listing()
      const streamed = yield* overheard(events)
      assert.strictEqual(resultOf(streamed.value).reason, reason)
      assertNone(JSON.stringify(streamed.value), secrets, "events")
      // A run that does not wait for the exit may not have read it yet.
      if (endsBySelf.includes(reason)) assert.include(resultOf(streamed.value).stderrTail ?? "", "=<redacted>")
      assertNone(streamed.text, secrets, "logs and spans of the events")
      if (existsSync(record)) assertNone(readFileSync(record, "utf8"), secrets, "recording")
      const request = yield* overheard(Effect.exit(result))
      const { value } = request
      const cause = Exit.isFailure(value) ? Cause.pretty(value.cause) : assert.fail("it failed")
      assertNone(`${String(value)} ${JSON.stringify(value)} ${print(value)} ${cause}`, secrets, "error")
      assertNone(request.text, secrets, "logs and spans of the error")
      assert.deepStrictEqual(user.listing(), before)
    })
  )

  /** The log tells of it, and so does the span. */
  it.live.skipIf(!successOf(clis[id]).isCertain)("the process lingers after its result", () =>
    Effect.gen(function* () {
      const args = [successOf(clis[id]).file, "--then=stay"]
      const { secrets, events } = yield* makeSecretRun(id, { args, params: { timeouts: { linger: 200 } } })
      const { value, spans, text } = yield* overheard(events)
      // The program's answer is not JSON, and so does not match the schema.
      assert.strictEqual(resultOf(value).reason, clis[id].supports.has("outputSchema") ? "schema_not_met" : "completed")
      assert.strictEqual(
        spans.find(({ name }) => name === `invoke_agent ${id}`)?.attributes.get("reins.lingered"),
        true
      )
      assert.include(text, "the process lingered")
      assertNone(text, secrets, "logs and spans")
    })
  )
})
