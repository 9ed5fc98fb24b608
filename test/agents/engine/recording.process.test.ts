/** `record`: the wire as it was printed, for its owner only, without a secret. Real processes. */
import { execFileSync } from "node:child_process"
import {
  chmodSync, closeSync, constants, mkdirSync, openSync, readdirSync, readFileSync, symlinkSync, writeFileSync
} from "node:fs" // biome-ignore format: one list
import { createServer, type Server } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { replay } from "../../../src/agents/Replay.ts"
import { claude } from "../../../src/cli/claude/index.ts"
import { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { FakeCli, Step } from "../../../src/testing.ts"
import { collect, performing, program, running } from "../../kit/agent.ts"
import { completed, endingOf, errorOf, resultOf, textOf } from "../../kit/events.ts"
import { modeOf } from "../../kit/files.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const recorded = Effect.map(makeDirectory, (directory) => join(directory, "wire.ndjson"))

describe("a recording", () => {
  it.live("has the bytes as printed, and replays to the same text", () =>
    Effect.gen(function* () {
      const record = yield* recorded
      const prompt = 'wörld 🎉 \\ " \u2028'
      const events = yield* collect(program("speaks"), { prompt, record })
      const transcript = readFileSync(record, "utf8")
      const lines = transcript.trimEnd().split("\n")
      assert.strictEqual(lines.length, 3)
      assert.include(lines[1], `"text":${JSON.stringify(prompt)}`)
      assert.strictEqual(textOf(replay(claude, transcript)), textOf(events))
      assert.strictEqual(textOf(events), prompt)
    })
  )

  it.live("has all of a long run on the disk when the stream has ended", () =>
    Effect.gen(function* () {
      const record = yield* recorded
      yield* collect(program("floods-stdout", "--bytes=3000000"), { record })
      const transcript = readFileSync(record, "utf8")
      assert.strictEqual(transcript.split("\n").length, 3_002 + 1)
      assert.match(readFileSync(`${record}.times`, "utf8"), /^(\d+\n){3002}$/)
      assert.isTrue(transcript.endsWith("}\n"))
    })
  )

  it.live("has foreign lines and the last line without newline, too", () =>
    Effect.gen(function* () {
      const record = yield* recorded
      yield* collect(program("dirty-stdout"), { record })
      assert.include(readFileSync(record, "utf8"), "not { json at all\n")
      yield* collect(
        yield* performing(
          FakeCli.claude([
            Step.text("half"),
            Step.line('{"type":"result","is_error":false,"num_turns":1}', { newline: false }),
            Step.exit(0)
          ])
        ),
        { record }
      )
      assert.strictEqual(endingOf(replay(claude, readFileSync(record, "utf8"))).outcome, "completed")
    })
  )

  it.live("has what came after `done` while the process lingered", () =>
    Effect.gen(function* () {
      const record = yield* recorded
      yield* collect(program("trailing-lines"), { record })
      assert.include(readFileSync(record, "utf8"), "answer and more")
    })
  )

  it.live("of an aborted run has what was printed until then", () =>
    Effect.gen(function* () {
      const record = yield* recorded
      yield* collect({ ...program("forever", "--text=cut"), timeouts: { idle: 300 } }, { record })
      assert.include(readFileSync(record, "utf8"), '"text":"cut"')
    })
  )

  it.live("can be read by its owner only", () =>
    Effect.gen(function* () {
      const record = yield* recorded
      yield* collect(program("speaks"), { record })
      assert.strictEqual(modeOf(record), 0o600)
      assert.strictEqual(modeOf(`${record}.times`), 0o600)
      assert.deepStrictEqual(readdirSync(dirname(record)).toSorted(), ["wire.ndjson", "wire.ndjson.times"])
    })
  )

  it.live("replaces an older file, and takes it from everybody else", () =>
    Effect.gen(function* () {
      const record = yield* recorded
      for (const file of [record, `${record}.times`]) {
        writeFileSync(file, "an older recording, longer than the new one".repeat(100))
        chmodSync(file, 0o644)
      }
      yield* collect(program("speaks"), { record })
      for (const file of [record, `${record}.times`]) {
        assert.notInclude(readFileSync(file, "utf8"), "older")
        assert.strictEqual(modeOf(file), 0o600)
      }
    })
  )
})

describe("secrets in a recording", () => {
  const secrets = {
    env: 'sk-"quoted"-and-\\slashed',
    server: "token-of-the-server",
    header: "Bearer of-the-header",
    key: "sk-ant-key-of-the-cli"
  }

  it.live("of the environment, of MCP servers and the API key are taken out, escaped or not", () =>
    Effect.gen(function* () {
      const record = yield* recorded
      const prompt = Object.values(secrets).join(" and ")
      yield* collect(program("speaks"), {
        prompt,
        record,
        env: { MY_SECRET: Redacted.make(secrets.env), ANTHROPIC_API_KEY: secrets.key },
        mcpServers: {
          local: { command: "server", env: { TOKEN: secrets.server } },
          remote: { url: "http://127.0.0.1:1/mcp", headers: { Authorization: Redacted.make(secrets.header) } }
        }
      })
      const transcript = readFileSync(record, "utf8")
      for (const secret of Object.values(secrets)) {
        assert.notInclude(transcript, secret)
        assert.notInclude(transcript, JSON.stringify(secret).slice(1, -1))
      }
      assert.include(transcript, "<redacted> and <redacted>")
      assert.strictEqual(endingOf(replay(claude, transcript)).outcome, "completed")
    })
  )

  it.live("a plain setting of an MCP server that is a common word does not spoil the recording", () =>
    Effect.gen(function* () {
      const record = yield* recorded
      yield* collect(program("speaks"), {
        record,
        mcpServers: { local: { command: "server", env: { DEBUG: "false", MODE: "text", LEVEL: "result" } } }
      })
      const transcript = readFileSync(record, "utf8")
      assert.deepStrictEqual(endingOf(replay(claude, transcript)), completed)
      assert.strictEqual(textOf(replay(claude, transcript)), "hello")
    })
  )
})

const makeFifo = (path: string) => void execFileSync("mkfifo", [path])

const sockets = (path: string) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Server>((resolve) => {
          const server = createServer().listen(path, () => resolve(server))
        })
    ),
    (server) => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
  )

/** Opened for reading, so that it can be opened for writing: a pipe of another process. */
const withReader = (path: string) =>
  Effect.gen(function* () {
    makeFifo(path)
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    yield* Effect.addFinalizer(() => Effect.sync(() => closeSync(reader)))
  })

describe("what is not a file is refused by its kind before anything is started, and nothing waits for it", () => {
  const kinds = [
    ["a FIFO without a reader", "a named pipe (FIFO)", (path: string) => Effect.sync(() => makeFifo(path))],
    ["a FIFO with a reader", "a named pipe (FIFO)", withReader],
    ["a directory", "a directory", (path: string) => Effect.sync(() => mkdirSync(path))],
    ["a socket", "a socket", sockets],
    ["a link to a device", "a device", (path: string) => Effect.sync(() => symlinkSync("/dev/zero", path))],
    ["a link to a full device", "a device", (path: string) => Effect.sync(() => symlinkSync("/dev/full", path))]
  ] as const
  const cases = kinds.flatMap(([name, kind, make]) =>
    ["", ".times"].map((suffix) => [`${name}${suffix === "" ? "" : ", for the times"}`, kind, make, suffix] as const)
  )

  it.live.each(cases)(
    "%s",
    ([, kind, make, suffix]) =>
      Effect.gen(function* () {
        const record = yield* recorded
        yield* make(`${record}${suffix}`)
        const { options, hasStarted } = yield* running
        const events = yield* collect(options, { record })
        assert.strictEqual(resultOf(events).reason, "invalid_params")
        const { message } = errorOf(events)
        assert.include(message, `record: "${record}${suffix}" is `)
        assert.include(message, kind)
        assert.include(message, "name a regular file")
        assert.isFalse(hasStarted())
      }),
    10_000
  )
})

describe("a disk that takes no more", () => {
  it.live("is told once, by name, and the run goes on to its own end", () =>
    Effect.gen(function* () {
      const record = yield* recorded
      const { command, baseArgs } = program("floods-stdout", "--bytes=3000000")
      const host = fileURLToPath(new URL("./hosts/recording.ts", import.meta.url))
      // A limit for files stands for the disk: what is beyond it is refused in the same way.
      const limited = ["--fsize=1000000", process.execPath, host, record, command, ...baseArgs]
      const reported = execFileSync("prlimit", limited, { encoding: "utf8", timeout: 20_000 })
      const events = yield* Effect.forEach(reported.trimEnd().split("\n"), (line) =>
        Schema.decodeUnknownEffect(Schema.fromJsonString(AgentEvent))(line)
      )
      assert.deepStrictEqual(endingOf(events), completed)
      const warnings = events.flatMap((event) =>
        event.type === "notice" && event.kind === "warning" ? [event.message] : []
      )
      assert.strictEqual(warnings.length, 1)
      assert.include(warnings[0], `The recording "${record}" is incomplete`)
    })
  )
})

describe("a file that cannot be written", () => {
  it.live("for the times of the lines", () =>
    Effect.gen(function* () {
      const record = yield* recorded
      mkdirSync(`${record}.times`)
      const { options, hasStarted } = yield* running
      const { message } = errorOf(yield* collect(options, { record }))
      assert.include(message, `record: "${record}.times" is a directory, not a file: name a regular file`)
      assert.isFalse(hasStarted())
    })
  )

  it.live.each(["/no/such/directory/wire.ndjson", "/", "/tmp/wire\0.ndjson"])("%j", (record) =>
    Effect.gen(function* () {
      const { options, hasStarted } = yield* running
      const events = yield* collect(options, { record })
      const { outcome, reason } = resultOf(events)
      assert.deepStrictEqual([outcome, reason], ["failed", "invalid_params"])
      assert.include(String(events[0]?.type === "error" && events[0].message), "record")
      assert.isFalse(hasStarted())
    })
  )
})
