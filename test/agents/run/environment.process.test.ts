/** The environment of the process. Real processes. */
import { realpathSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { collect, program, runOnce } from "../../kit/agent.ts"
import { errorOf, resultOf } from "../../kit/events.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const Echo = Schema.fromJsonString(
  Schema.Struct({
    argv: Schema.Array(Schema.String),
    cmdline: Schema.String,
    cwd: Schema.String,
    env: Schema.Record(Schema.String, Schema.String),
    names: Schema.Array(Schema.String)
  })
)

interface Told {
  readonly host?: Readonly<Record<string, string>>
  readonly options?: AgentOptions
  readonly params?: Partial<AgentExecuteParams>
}

/** The process's report of itself and of the variables `names`. */
const reported = (names: ReadonlyArray<string>, { host = {}, options, params = {} }: Told = {}) =>
  Effect.gen(function* () {
    const { text } = yield* runOnce({ ...options, ...program("echo-stdin", `--tell=${names.join(",")}`) }, params)
    return yield* Schema.decodeUnknownEffect(Echo)(text)
  }).pipe(Effect.provideService(HostEnvironment, { PATH: process.env["PATH"], ...host }))

describe("the environment of the process", () => {
  it.live("has PWD and a marker of its own for each run", () =>
    Effect.gen(function* () {
      const workingDirectory = yield* makeDirectory
      const host = { PWD: "/elsewhere", REINS_RUN: "outer" }
      const one = yield* reported(["PWD", "REINS_RUN"], { host, params: { workingDirectory } })
      const two = yield* reported(["PWD", "REINS_RUN"], { host, params: { workingDirectory } })
      assert.strictEqual(one.env["PWD"], workingDirectory)
      assert.strictEqual(one.cwd, realpathSync(workingDirectory))
      assert.match(one.env["REINS_RUN"] ?? "", /^outer [0-9a-f-]{36}\.[0-9a-f-]{36}$/)
      assert.notStrictEqual(one.env["REINS_RUN"], two.env["REINS_RUN"])
    })
  )

  it.live("has nothing that marks an enclosing session", () =>
    Effect.gen(function* () {
      const host = {
        CLAUDECODE: "1",
        CLAUDE_CODE_ENTRYPOINT: "cli",
        CLAUDE_CODE_SSE_PORT: "1",
        CLAUDE_CONFIG_DIR: "/c"
      }
      const { names } = yield* reported([], { host })
      assert.deepStrictEqual(
        names.filter((name) => name.startsWith("CLAUDE")),
        ["CLAUDE_CONFIG_DIR"]
      )
    })
  )

  it.live("is the host's, then the agent's, then the run's; undefined removes", () =>
    Effect.gen(function* () {
      const { env, names } = yield* reported(["A", "B", "C"], {
        host: { A: "host", B: "host", C: "host", GONE: "host", GONE_TOO: "host" },
        options: { env: { values: { B: "agent", C: "agent", GONE_TOO: undefined } } },
        params: { env: { C: Redacted.make("run"), GONE: undefined } }
      })
      assert.deepStrictEqual(env, { A: "host", B: "agent", C: "run" })
      assert.notInclude(names, "GONE")
      assert.notInclude(names, "GONE_TOO")
    })
  )

  it.live("is the allow-list's, where there is one", () =>
    Effect.gen(function* () {
      const { names } = yield* reported([], {
        host: { DATABASE_PASSWORD: "x", LC_ALL: "C", HOME: "/root", AWS_SECRET: "x" },
        options: { env: { policy: "allow-list" } },
        params: { env: { GIVEN: "yes" } }
      })
      assert.deepStrictEqual(names, ["GIVEN", "HOME", "LC_ALL", "PATH", "PWD", "REINS_RUN"])
    })
  )

  it.live.each(["A=B", "", "A\0B"])("a name such as %j is refused", (name) =>
    Effect.gen(function* () {
      const events = yield* collect(program("speaks"), { env: { [name]: "value-that-is-secret" } })
      assert.strictEqual(resultOf(events).reason, "invalid_params")
      assert.include(errorOf(events).message, JSON.stringify(name))
      assert.notInclude(JSON.stringify(events), "value-that-is-secret")
    })
  )
})
