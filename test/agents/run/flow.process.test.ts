/** Bytes both ways: prompts of any size, output of any shape. Nothing deadlocks, nothing is lost. Real processes. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { FakeCli, Step } from "../../../src/testing.ts"
import { collect, performing, program, runOnce } from "../../kit/agent.ts"
import { completed, endingOf, kindsOf, noticesOf, resultOf, textOf, timedOut } from "../../kit/events.ts"

const Echo = Schema.fromJsonString(Schema.Struct({ bytes: Schema.Int, sha256: Schema.String }))
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const echo = (prompt: string) =>
  Effect.gen(function* () {
    const { text } = yield* runOnce(program("echo-stdin"), { prompt })
    return yield* Schema.decodeUnknownEffect(Echo)(text)
  })

describe("a prompt on stdin arrives as it is", () => {
  const prompts = {
    "200 KB": "wörd 🎉 ".repeat(20_000),
    "9.9 MB": "0123456789".repeat(990_000),
    "a flag": "--help",
    "a dash": "-",
    "quotes, newlines and shell": "'\"`$(touch /tmp/x)`\\\r\n\t|&;<>%^!",
    "U+2028, CJK and a family": "\u2028日本語👩‍👩‍👧"
  }
  it.live.each(Object.entries(prompts))("%s", ([, prompt]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* echo(prompt), { bytes: Buffer.byteLength(prompt), sha256: sha256(prompt) })
    })
  )
})

describe("a prompt of 5 MB", () => {
  const prompt = "p".repeat(5_000_000)
  const timeouts = { startup: "20 seconds", idle: "700 millis" } as const

  it.live("never read: the watchdog ends the run", () =>
    Effect.gen(function* () {
      const events = yield* collect({ ...program("never-reads-stdin"), timeouts }, { prompt })
      assert.deepStrictEqual(endingOf(events), timedOut("idle"))
    })
  )

  it.live("never read while stdout is flooded: all of stdout was taken", () =>
    Effect.gen(function* () {
      const events = yield* collect({ ...program("never-reads-stdin", "--flood"), timeouts }, { prompt })
      assert.deepStrictEqual(endingOf(events), timedOut("idle"))
      assert.strictEqual(resultOf(events).text.length, 1_000_000)
    })
  )

  it.live("never read by a program that ends well", () =>
    Effect.gen(function* () {
      const events = yield* collect(program("never-reads-stdin", "--flood", "--result"), { prompt })
      assert.deepStrictEqual(endingOf(events), completed)
    })
  )

  it.live("read only after 1 MB was printed: no deadlock", () =>
    Effect.gen(function* () {
      const events = yield* collect(program("reads-stdin-after-1mb"), { prompt })
      assert.deepStrictEqual(endingOf(events), completed)
      assert.strictEqual(textOf(events).length, 1_000_000 + " 5000000".length)
    })
  )

  it.live.each([
    [0, "completed"],
    [3, "exited"]
  ] as const)("refused by a program that exits with code %i: EPIPE is harmless", ([code, reason]) =>
    Effect.gen(function* () {
      const uncaught: Array<unknown> = []
      const hear = (error: unknown) => uncaught.push(error)
      process.on("uncaughtExceptionMonitor", hear)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.off("uncaughtExceptionMonitor", hear)))
      const events = yield* collect(program("exits-before-reading-stdin", `--code=${code}`), { prompt })
      assert.strictEqual(resultOf(events).reason, reason)
      assert.deepStrictEqual(uncaught, [])
    })
  )
})

describe("stdout", () => {
  it.live("byte by byte: characters stay whole", () =>
    Effect.gen(function* () {
      const events = yield* collect(program("byte-by-byte"))
      assert.deepStrictEqual(endingOf(events), completed)
      assert.strictEqual(textOf(events), "wörld 日本語 🎉\u2028👩‍👩‍👧")
      assert.deepStrictEqual(kindsOf(events), [])
    })
  )

  it.live("with BOM, CRLF, blank lines, colours and foreign text: all told, no event lost", () =>
    Effect.gen(function* () {
      const events = yield* collect(program("dirty-stdout"))
      assert.deepStrictEqual(endingOf(events), completed)
      assert.strictEqual(textOf(events), "one two")
      const reported = noticesOf(events).map((notice) => [notice.kind, String(notice.data?.["text"]).trim()])
      assert.deepStrictEqual(reported, [
        ["malformed_line", "Warning: a newer version is available"],
        ["malformed_line", "\u001b[33mwarn\u001b[0m"],
        ["malformed_line", "not { json at all"],
        ["malformed_line", "[1, 2]"],
        ["malformed_line", "(node:1) DeprecationWarning"]
      ])
    })
  )

  it.live("ending without a newline: the last line counts", () =>
    Effect.gen(function* () {
      const events = yield* collect(
        yield* performing(
          FakeCli.claude([
            Step.text("half"),
            Step.line('{"type":"result","is_error":false,"num_turns":1}', { newline: false }),
            Step.exit(0)
          ])
        )
      )
      assert.deepStrictEqual(endingOf(events), completed)
      assert.strictEqual(resultOf(events).numTurns, 1)
    })
  )

  it.live("with a line over the limit: it is dropped with a notice, the next ones are fine", () =>
    Effect.gen(function* () {
      const options: AgentOptions = { ...program("big-line", "--bytes=300000"), maxLineBytes: 100_000 }
      const events = yield* collect(options)
      assert.deepStrictEqual(endingOf(events), completed)
      assert.strictEqual(textOf(events), "fine")
      const [notice] = noticesOf(events)
      assert.deepStrictEqual(kindsOf(events), ["oversize_line"])
      assert.isAtLeast(Number(notice?.data?.["bytes"]), 300_000)
      assert.include(String(notice?.data?.["head"]), '{"type":"stream_event"')
    })
  )

  it.live("with a line of 20 MB under the limit: it is read", () =>
    Effect.gen(function* () {
      const events = yield* collect(program("big-line", "--bytes=20000000"))
      assert.deepStrictEqual(endingOf(events), completed)
      assert.strictEqual(textOf(events).length, 20_000_000 + "fine".length)
    })
  )

  it.live("flooded with 20 MB of text: nothing is lost", () =>
    Effect.gen(function* () {
      const events = yield* collect(program("floods-stdout"))
      assert.deepStrictEqual(endingOf(events), completed)
      assert.strictEqual(events.filter((event) => event.type === "text").length, 20_000)
      assert.strictEqual(resultOf(events).text.length, 20_000_000)
    })
  )
})

describe("stderr", () => {
  it.live("flooded: never blocks the program, head and tail are kept, the rest is not", () =>
    Effect.gen(function* () {
      const result = yield* runOnce(program("floods-stderr"))
      assert.strictEqual(result.outcome, "completed")
      const failure = yield* Effect.flip(runOnce(program("floods-stderr", "--fail")))
      assert.strictEqual(failure.reason._tag, "Exited")
      const tail = failure.result.stderrTail ?? ""
      assert.isTrue(tail.endsWith("last words"), `ends with ${JSON.stringify(tail.slice(-40))}`)
      assert.isBelow(tail.length, 20_000)
    })
  )

  it.live("of a program that fails: the last words are there, every time", () =>
    Effect.gen(function* () {
      const runs = Array.from({ length: 48 }, () =>
        Effect.flip(runOnce(program("floods-stderr", "--fail", "--bytes=60000")))
      )
      for (const failure of yield* Effect.all(runs, { concurrency: 16 })) {
        assert.isTrue(failure.result.stderrTail?.endsWith("last words"), "the end of stderr is missing")
      }
    })
  )

  it.live("with lines of JSON: they are not events", () =>
    Effect.gen(function* () {
      const events = yield* collect(program("tells-on-stderr"))
      assert.strictEqual(resultOf(events).reason, "no_result")
      assert.deepStrictEqual(
        events.map((event) => event.type),
        ["error", "done"]
      )
    })
  )
})
