/** How a process is started, and how its end is reported. */
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { NotInstalled } from "../../../src/contract/AgentError.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import { makeRunId } from "../../../src/system/process/host.ts"
import { launch } from "../../../src/system/process/launch.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import { makeRedactor } from "../../../src/system/process/redactor.ts"
import { stdinOf } from "../../../src/system/process/stdin.ts"
import { collect, program, runOnce } from "../../kit/agent.ts"
import { endingOf, errorOf, resultOf } from "../../kit/events.ts"
import { until } from "../../kit/processes.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { watched } from "../../kit/watched.ts"
import { init, result, text } from "../../kit/wire.ts"

const Echo = Schema.fromJsonString(
  Schema.Struct({ argv: Schema.Array(Schema.String), cwd: Schema.String, leadsGroup: Schema.Boolean })
)

const echoed = (params: Partial<AgentExecuteParams>) =>
  Effect.gen(function* () {
    const { text } = yield* runOnce(program("echo-stdin"), params)
    return yield* Schema.decodeUnknownEffect(Echo)(text)
  })

describe("the process", () => {
  it.live("leads a group of its own, in the working directory", () =>
    Effect.gen(function* () {
      const workingDirectory = yield* makeDirectory
      const { cwd, leadsGroup } = yield* echoed({ workingDirectory })
      assert.isTrue(leadsGroup)
      assert.strictEqual(cwd, workingDirectory)
    })
  )

  it.live("is started without a shell: arguments arrive as they are", () =>
    Effect.gen(function* () {
      const file = join(yield* makeDirectory, "made-by-a-shell")
      const extraArgs = [`--note=$(touch ${file})`, "--a b", "--quote='\"", "--glob=*", "--line=\n", "--empty="]
      const { argv } = yield* echoed({ extraArgs })
      assert.deepStrictEqual(argv.slice(-extraArgs.length), extraArgs)
    })
  )
})

describe("a command line that is too long", () => {
  it.live("for one argument: names the option, starts nothing", () =>
    Effect.gen(function* () {
      const events = yield* collect(program("speaks"), { extraArgs: [`--note=${"x".repeat(131_072)}`] })
      assert.strictEqual(resultOf(events).reason, "command_line_too_long")
      assert.include(errorOf(events).message, "extraArgs")
    })
  )

  it.live("for one variable: names it", () =>
    Effect.gen(function* () {
      const events = yield* collect(program("speaks"), { env: { LONG_ONE: "x".repeat(131_072) } })
      assert.strictEqual(resultOf(events).reason, "command_line_too_long")
      assert.include(errorOf(events).message, "LONG_ONE")
    })
  )

  it.live("for all arguments together: is a typed error, not a defect", () =>
    Effect.gen(function* () {
      const extraArgs = Array.from({ length: 40 }, (_, index) => `--note${index}=${"x".repeat(120_000)}`)
      const events = yield* collect(program("speaks"), { extraArgs })
      assert.strictEqual(resultOf(events).reason, "command_line_too_long")
    })
  )
})

describe("the end of the process", () => {
  it.effect("is reported after stderr was read, which says why", () =>
    watched(({ script, events, pass }) =>
      Effect.gen(function* () {
        yield* script.say(init())
        yield* script.exit({ code: 1 }, { stderr: "API Error: 401 unauthorized" })
        yield* pass("1 minute")
        assert.strictEqual(resultOf(events).stderrTail, "API Error: 401 unauthorized")
        assert.deepInclude(endingOf(events), { reason: "exited", category: "auth" })
      })
    )
  )

  it.effect("is reported after stdout was read: the result may still be in the pipe", () =>
    watched(({ script, events, pass }) =>
      Effect.gen(function* () {
        yield* script.say(init())
        yield* script.exit({ code: 0 }, { stdout: `${JSON.stringify(result("in the pipe"))}\n` })
        yield* pass("1 minute")
        assert.deepInclude(resultOf(events), { outcome: "completed", text: "in the pipe" })
      })
    )
  )

  it.effect("is reported after all of stdout was read, however long a busy host takes", () =>
    watched(({ script, events, hasEnded, pass }) =>
      Effect.gen(function* () {
        yield* script.say(init())
        yield* script.exit({ code: 0 }, { held: "stdout" })
        const full = "a".repeat(64 * 1024)
        for (let chunk = 0; chunk < 13; chunk++) yield* Effect.andThen(pass("180 millis"), script.say(text(full)))
        assert.isFalse(hasEnded())
        yield* script.say(result("late"))
        yield* pass("1 minute")
        assert.deepInclude(resultOf(events), { outcome: "completed", text: full.repeat(13) })
      })
    )
  )

  it.effect.each([
    ["now and then", "b ", 40, 150],
    ["much and fast", "b".repeat(64 * 1024), 80, 60]
  ] as const)(
    "is reported after two seconds although another process goes on printing to its stdout, %s",
    ([_, content, times, ms]) =>
      watched(({ script, events, hasEnded, pass }) =>
        Effect.gen(function* () {
          yield* script.say(init())
          yield* script.exit({ code: 0 }, { held: "stdout" })
          let printed = 0
          for (; printed < times && !hasEnded(); printed++) {
            yield* Effect.andThen(pass(`${ms} millis`), script.say(text(content)))
          }
          yield* script.closeStdout
          assert.approximately(printed * ms, 2_100, ms + 100)
          assert.strictEqual(resultOf(events).reason, "no_result")
        })
      )
  )

  it.effect("by a signal has the signal's name", () =>
    watched(({ script, events }) =>
      Effect.gen(function* () {
        yield* script.say(init())
        yield* script.exit({ signal: "SIGABRT" })
        assert.deepStrictEqual(resultOf(events).exit, { signal: "SIGABRT" })
        assert.strictEqual(resultOf(events).reason, "killed")
      })
    )
  )

  it.effect("stdin is the prompt and nothing else", () =>
    watched(({ script }) =>
      Effect.gen(function* () {
        assert.strictEqual(script.stdin(), "hello")
        assert.deepStrictEqual(script.calls[0]?.args.includes("hello"), false)
        yield* script.exit({ code: 0 })
      })
    )
  )

  it.live("leaves no output unread by a slow reader, also when the scope closes", () =>
    Effect.gen(function* () {
      const received: Array<string> = []
      const hear = (line: string) =>
        Effect.delay(
          Effect.sync(() => received.push(line)),
          "20 millis"
        )
      const script = "trap 'echo last; exit' TERM; echo first; while :; do sleep 0.01; done"
      yield* Effect.scoped(
        Effect.gen(function* () {
          const process = yield* launch({
            command: "/bin/sh",
            args: ["-c", script],
            env: { PATH: "/usr/bin:/bin" },
            workingDirectory: tmpdir(),
            notInstalled: () => new NotInstalled({ command: "/bin/sh", install: "", signIn: "" }),
            runId: yield* makeRunId,
            stdin: stdinOf(""),
            stopSignal: "SIGTERM",
            killGrace: "10 seconds",
            redactor: makeRedactor([])
          })
          const text = Stream.runForEach(Stream.splitLines(Stream.decodeText(process.stdout)), hear)
          yield* process.forkReader(text)
          yield* until(() => received.includes("first"))
        })
      )
      assert.deepStrictEqual(received, ["first", "last"])
    }).pipe(Effect.provide(nodePlatform))
  )

  it.live("leaves no pipe open, also when another process printed to it until the last moment", () =>
    Effect.gen(function* () {
      const open = () => readdirSync("/proc/self/fd").length
      // Resources of the whole host are open by then.
      yield* collect(program("grandchild-chats"))
      const before = open()
      yield* Effect.forEach([1, 2, 3], () => collect(program("grandchild-chats")), { concurrency: 3 })
      yield* until(() => open() <= before, 5_000)
    })
  )
})
