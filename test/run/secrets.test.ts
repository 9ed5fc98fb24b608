/** The environment of the process, and where secrets and the prompt must not be. Real processes. */
import { realpathSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Redacted, References, Schema, Tracer } from "effect"
import type { AgentExecuteParams } from "../../src/AgentExecuteParams.ts"
import type { AgentOptions } from "../../src/AgentOptions.ts"
import { HostEnvironment } from "../../src/process/environment.ts"
import { collect, program, runOnce } from "../kit/agent.ts"
import { errorOf, resultOf } from "../kit/events.ts"
import { makeDirectory } from "../kit/temporary.ts"

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

/** What the process says of itself and of the variables `names`. */
const told = (names: ReadonlyArray<string>, { host = {}, options, params = {} }: Told = {}) =>
  Effect.gen(function* () {
    const { text } = yield* runOnce({ ...options, ...program("echo-stdin", `--tell=${names.join(",")}`) }, params)
    return yield* Schema.decodeUnknownEffect(Echo)(text)
  }).pipe(Effect.provideService(HostEnvironment, { PATH: process.env["PATH"], ...host }))

describe("the environment of the process", () => {
  it.live("has PWD and a marker of its own for each run", () =>
    Effect.gen(function* () {
      const workingDirectory = yield* makeDirectory
      const host = { PWD: "/elsewhere", REINS_RUN: "outer" }
      const one = yield* told(["PWD", "REINS_RUN"], { host, params: { workingDirectory } })
      const two = yield* told(["PWD", "REINS_RUN"], { host, params: { workingDirectory } })
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
      const { names } = yield* told([], { host })
      assert.deepStrictEqual(
        names.filter((name) => name.startsWith("CLAUDE")),
        ["CLAUDE_CONFIG_DIR"]
      )
    })
  )

  it.live("is the host's, then the agent's, then the run's; undefined removes", () =>
    Effect.gen(function* () {
      const { env, names } = yield* told(["A", "B", "C"], {
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
      const { names } = yield* told([], {
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

const secrets = {
  prompt: "prompt-marker-4711",
  env: "env-marker-4711",
  server: "server-marker-4711",
  header: "header-marker-4711",
  system: "system-marker-4711",
  key: "key-marker-4711"
}

const params: Partial<AgentExecuteParams> = {
  prompt: secrets.prompt,
  systemPrompt: secrets.system,
  env: { SECRET: Redacted.make(secrets.env), ANTHROPIC_API_KEY: Redacted.make(secrets.key) },
  mcpServers: {
    local: { command: "server", env: { TOKEN: Redacted.make(secrets.server) } },
    remote: { url: "http://127.0.0.1:1/mcp", headers: { Authorization: secrets.header } }
  }
}

const assertNone = (text: string, where: string) => {
  for (const secret of Object.values(secrets)) assert.notInclude(text, secret, where)
}

/** Everything that logs, at any level, and all spans say while `effect` runs. */
const overheard = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const heard: Array<unknown> = []
    const logger = Logger.make(({ logLevel, message, cause, fiber }) => {
      heard.push(logLevel, message, cause, fiber.getRef(References.CurrentLogAnnotations))
    })
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const value = yield* effect.pipe(
      Effect.withTracer(tracer),
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "All")
    )
    const told = spans.map((span) => [span.name, [...span.attributes], span.events, span.status])
    const print = (_: string, item: unknown) => (typeof item === "bigint" ? String(item) : item)
    return { value, spans, text: JSON.stringify([heard, told], print) }
  })

describe("secrets and the prompt", () => {
  it.live("reach the process, but are not on its command line", () =>
    Effect.gen(function* () {
      const { env, argv, cmdline } = yield* told(["SECRET", "ANTHROPIC_API_KEY"], { params })
      assert.deepStrictEqual(env, { SECRET: secrets.env, ANTHROPIC_API_KEY: secrets.key })
      assert.isTrue(argv.some((argument) => argument.startsWith("--mcp-config=")))
      assertNone(cmdline, "command line")
    })
  )

  it.live("are in no log and no span of a run that lingers", () =>
    Effect.gen(function* () {
      const run = overheard(collect({ ...program("lingers"), timeouts: { linger: 100 } }, params))
      const { text, spans } = yield* run
      assert.include(
        spans.map((span) => span.name),
        "AgentRuntime.run"
      )
      assert.strictEqual(spans.find((span) => span.name === "AgentRuntime.run")?.attributes.get("lingered"), true)
      assert.include(text, "lingered")
      assertNone(text, "logs and spans")
    })
  )

  it.live.each([
    ["a missing binary", { command: "no-such-cli" }],
    ["a refused command", { command: "/tmp" }],
    ["a crash", program("exits-1", "--init")],
    ["a time-out", { ...program("forever"), timeouts: { total: 200 } }]
  ] as const)("are in no event, error, log or span after %s", ([, options]) =>
    Effect.gen(function* () {
      const { value, text } = yield* overheard(Effect.exit(runOnce(options, params)))
      assert.strictEqual(value._tag, "Failure")
      assertNone(text, "logs and spans")
      assertNone(`${String(value)} ${JSON.stringify(value)}`, "error")
      assertNone(JSON.stringify(yield* collect(options, params)), "events")
    })
  )
})
