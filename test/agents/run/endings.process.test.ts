/** However a run ends: exactly one `done`, last, with the reason; real processes. */
import { chmodSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { FakeCli, Step } from "../../../src/testing.ts"
import { collect, performing, program, runOnce } from "../../kit/agent.ts"
import { completed, endingOf, errorOf, type RunEnding, resultOf, textOf, timedOut } from "../../kit/events.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const failed = (
  reason: RunEnding["reason"],
  category: NonNullable<RunEnding["category"]>,
  code: string
): RunEnding => ({
  outcome: "failed",
  reason,
  aborted: false,
  category,
  code
})

interface Case {
  readonly name: string
  /** Performs for the CLI. */
  readonly fake?: FakeCli
  readonly options?: AgentOptions
  readonly params?: Partial<AgentExecuteParams>
  readonly ending: RunEnding
  readonly exit?: { readonly code: number } | { readonly signal: string }
}

/** Node itself may take its time to start on a busy machine: only a run that never speaks has a short start. */
const timeouts = { startup: "20 seconds", idle: "300 millis" } as const

const { claude } = FakeCli
const burning = claude([Step.stderr("\u001b[31mfatal:\u001b[0m the disk is on fire\n"), Step.exit(1)])
const dying = claude([Step.text("last words"), Step.signal("SIGKILL")])

const overloaded = {
  is_error: true,
  terminal_reason: "api_error",
  api_error_status: 529,
  api_error: "overloaded",
  result: "API Error: 529 Overloaded"
}

const cases: ReadonlyArray<Case> = [
  { name: "success", options: program("speaks"), ending: completed },
  {
    name: "the last line without newline",
    fake: claude([
      Step.text("half"),
      Step.line('{"type":"result","is_error":false,"num_turns":1}', { newline: false }),
      Step.exit(0)
    ]),
    ending: completed,
    exit: { code: 0 }
  },
  {
    name: "the CLI says that it failed",
    fake: claude([Step.result({ fields: overloaded }), Step.exit(1)]),
    ending: failed("agent_failed", "overloaded", "overloaded")
  },
  {
    name: "exit code 1 without a line",
    fake: burning,
    ending: failed("exited", "crash", "exit_code"),
    exit: { code: 1 }
  },
  {
    name: "exit code 137 in mid-run",
    fake: claude([Step.session(), Step.stderr("fatal: the disk is on fire\n"), Step.exit(137)]),
    ending: failed("exited", "crash", "exit_code"),
    exit: { code: 137 }
  },
  {
    name: "exit code 0 without a line",
    fake: claude([Step.exit(0)]),
    ending: failed("no_result", "protocol", "no_result"),
    exit: { code: 0 }
  },
  {
    name: "killed by SIGKILL",
    fake: dying,
    ending: failed("killed", "crash", "signal"),
    exit: { signal: "SIGKILL" }
  },
  {
    name: "killed by SIGSEGV",
    fake: claude([Step.text("last words"), Step.signal("SIGSEGV")]),
    ending: failed("killed", "crash", "signal"),
    exit: { signal: "SIGSEGV" }
  },
  {
    name: "killed after the result",
    fake: claude([Step.text("last words"), Step.result(), Step.signal("SIGKILL")]),
    ending: completed
  },
  {
    name: "never a line",
    fake: claude([Step.hang()]),
    options: { timeouts: { startup: "300 millis" } },
    ending: timedOut("startup")
  },
  { name: "silent in mid-run", options: { ...program("forever"), timeouts }, ending: timedOut("idle") },
  {
    name: "silent in a tool",
    options: { ...program("forever", "--tool"), timeouts: { ...timeouts, idle: "1 hour", tool: "300 millis" } },
    ending: timedOut("tool")
  },
  {
    name: "no time left in all",
    options: { ...program("forever"), timeouts: { total: "300 millis" } },
    ending: timedOut("total")
  },
  {
    name: "missing binary",
    options: { command: "no-such-cli" },
    ending: failed("not_installed", "not_installed", "not_installed")
  },
  {
    name: "missing binary by path",
    options: { command: "/no/such/cli" },
    ending: failed("not_installed", "not_installed", "not_installed")
  },
  {
    name: "a directory as command",
    options: { command: "/tmp" },
    ending: failed("spawn_failed", "spawn", "spawn_failed")
  },
  {
    name: "a command below a file",
    options: { command: "/etc/passwd/cli" },
    ending: failed("not_installed", "not_installed", "not_installed")
  },
  {
    name: "bad working directory",
    options: program("speaks"),
    params: { workingDirectory: "/no/such/directory" },
    ending: failed("invalid_params", "invalid_request", "invalid_params")
  },
  {
    name: "a file as working directory",
    options: program("speaks"),
    params: { workingDirectory: "/etc/passwd" },
    ending: failed("invalid_params", "invalid_request", "invalid_params")
  },
  {
    name: "a working directory with a NUL character",
    options: program("speaks"),
    params: { workingDirectory: "/tmp\0" },
    ending: failed("invalid_params", "invalid_request", "invalid_params")
  }
]

describe.each(cases)("$name", ({ fake, options: input, params, ending, exit }) => {
  it.live("gives one done, last, with the reason, and `run` agrees", () =>
    Effect.gen(function* () {
      const options = { ...input, ...(fake === undefined ? {} : yield* performing(fake)) }
      const events = yield* collect(options, params)
      assert.deepStrictEqual(endingOf(events), ending)
      assert.deepStrictEqual(resultOf(events).exit, exit)
      if (ending.code !== undefined) assert.strictEqual(errorOf(events).code, ending.code)
      const reported = yield* Effect.result(runOnce(options, params))
      if (Result.isSuccess(reported)) assert.strictEqual(ending.outcome, "completed")
      else assert.deepInclude(reported.failure.result, { outcome: ending.outcome, reason: ending.reason })
    })
  )
})

describe("what an error tells", () => {
  it.live("the tail of stderr without its colours, as a field and in the message", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(runOnce(yield* performing(burning)))
      assert.deepInclude(failure.reason, { _tag: "Exited", exitCode: 1, stderr: "fatal: the disk is on fire" })
      assert.strictEqual(failure.result.stderrTail, "fatal: the disk is on fire")
      assert.match(failure.message, /exit code 1: .*fatal: the disk is on fire/)
    })
  )

  it.live("how to install what is missing, and how to sign in", () =>
    Effect.gen(function* () {
      const { message } = errorOf(yield* collect({ command: "no-such-cli" }))
      assert.include(message, '"no-such-cli" was not found')
      assert.include(message, "Install it: npm install -g @anthropic-ai/claude-code, or: curl -fsSL https://claude.ai")
      assert.include(message, "/login")
    })
  )

  it.live("text that came before a crash is in the result", () =>
    Effect.gen(function* () {
      const events = yield* collect(yield* performing(dying))
      assert.strictEqual(resultOf(events).text, "last words")
      assert.strictEqual(textOf(events), "last words")
    })
  )
})

describe("a command that the system refuses", () => {
  it.live("a file that is not executable", () =>
    Effect.gen(function* () {
      const command = join(yield* makeDirectory, "cli")
      writeFileSync(command, "#!/bin/sh\n")
      chmodSync(command, 0o644)
      assert.deepStrictEqual(endingOf(yield* collect({ command })), failed("spawn_failed", "spawn", "spawn_failed"))
    })
  )

  it.live("a link that leads to itself", () =>
    Effect.gen(function* () {
      const command = join(yield* makeDirectory, "cli")
      symlinkSync(command, command)
      assert.deepStrictEqual(endingOf(yield* collect({ command })), failed("spawn_failed", "spawn", "spawn_failed"))
    })
  )
})
