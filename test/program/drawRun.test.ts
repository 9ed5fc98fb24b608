/** The transcript of a live run in time: the status moves while nothing comes, and is gone at the end. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stdio, Stream, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { TestClock } from "effect/testing"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { drawRun } from "../../src/program/drawRun.ts"
import { printable } from "../../src/program/sequences.ts"
import { bare, done, result, session, text, use } from "./transcriptEvents.ts"

const terminal = Terminal.make({
  columns: Effect.succeed(60),
  rows: Effect.succeed(20),
  size: Effect.die("unused"),
  readInput: Effect.die("unused"),
  readLine: Effect.die("unused"),
  display: () => Effect.void
})

const onTerminal =
  (isTerminal: boolean) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    work.pipe(
      Effect.provide(Stdio.layerTest({ args: Effect.succeed([]) })),
      Effect.provideService(Terminal.Terminal, terminal),
      Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
        canColor: isTerminal,
        canAnimate: isTerminal,
        canPrompt: false
      })
    )

/** The text that is written for a tool that takes three seconds. */
const output = (isTerminal: boolean, isStopping?: () => boolean) =>
  Effect.gen(function* () {
    const silence = Stream.fromEffectDrain(Effect.sleep("3 seconds"))
    const events: Stream.Stream<AgentEvent> = Stream.make(session, use("a", "Bash", "make")).pipe(
      Stream.concat(silence),
      Stream.concat(Stream.make(result("a", "ok"), done())),
      Stream.concat(silence)
    )
    const options = { agent: "claude", ...(isStopping === undefined ? {} : { isStopping }) }
    const fiber = yield* Stream.unwrap(drawRun(events, options)).pipe(
      Stream.runCollect,
      Effect.forkChild({ startImmediately: true })
    )
    yield* TestClock.adjust("10 seconds")
    return yield* Fiber.join(fiber)
  }).pipe(onTerminal(isTerminal))

/** Without the marks of one frame, and what ends its last row. */
const withoutFrame = (piece: string) =>
  piece.replace(/^\x1b\[\?2026h(.*?)\x1b\[\?2026l$/s, (_, inside: string) => inside).replace(/(?<=[^\r])\x1b\[K$/, "")

describe("a live run", () => {
  it.effect("on a terminal has a status that moves, and is wiped at the end", () =>
    Effect.gen(function* () {
      const pieces = (yield* output(true, () => false)).map(bare).map(withoutFrame)
      const frames = pieces.filter((piece) => piece.includes("Run   make"))
      assert.isAbove(new Set(frames.map((frame) => frame[frame.indexOf("Run") - 2])).size, 5)
      assert.isTrue(frames.some((frame) => frame.endsWith("Run   make  2 s")))
      assert.isTrue(pieces.some((piece) => piece.endsWith("leaving… 2 s")))
      assert.strictEqual(pieces.at(-1), "\r\x1b[K")
    })
  )

  it.effect("that is being stopped says so", () =>
    Effect.gen(function* () {
      const pieces = (yield* output(true, () => true)).map(bare).map(withoutFrame)
      assert.isTrue(pieces.some((piece) => piece.endsWith("stopping… 2 s")))
    })
  )

  it.effect("that is piped is written once, with nothing to wipe", () =>
    Effect.gen(function* () {
      const pieces = yield* output(false, () => false)
      assert.strictEqual(
        pieces.join(""),
        "● claude 2.1 · opus · session s1\n\n✓ Run   make  → ok  3.0 s\n\n✓ completed · 2 turns · 1.2k in + 6k cached, 84 out · $0.0039 · 3.4 s\n"
      )
    })
  )
})

describe("a replay on a terminal", () => {
  it.effect("has colours, but no status and no time", () =>
    Effect.gen(function* () {
      const text = (yield* output(true)).join("")
      assert.include(printable(text), "\x1b[32m✓\x1b[0m ")
      assert.include(bare(text), "✓ Run   make  → ok\n")
      assert.notMatch(bare(text), /\r|\x1b/)
    })
  )
})

describe("in the log of a CI", () => {
  const logOf = (events: Stream.Stream<AgentEvent>) =>
    Effect.gen(function* () {
      const drawn = drawRun(events, { agent: "claude", isStopping: () => false, isCi: true })
      const fiber = yield* Stream.unwrap(drawn).pipe(Stream.runCollect, Effect.forkChild({ startImmediately: true }))
      yield* TestClock.adjust("10 minutes")
      return (yield* Fiber.join(fiber)).join("")
    }).pipe(onTerminal(true))

  const silence = Stream.fromEffectDrain(Effect.sleep("150 seconds"))

  it.effect("nothing moves, and silence is broken each minute", () =>
    Effect.gen(function* () {
      const log = yield* logOf(
        Stream.make(session, use("a", "Bash", "npm test")).pipe(
          Stream.concat(silence),
          Stream.concat(Stream.make(result("a", "ok"))),
          Stream.concat(silence),
          Stream.concat(Stream.make(done()))
        )
      )
      const rows = bare(log).split("\n")
      assert.deepStrictEqual(
        rows.filter((row) => row.startsWith("· still")),
        [
          "· still: Run npm test, 1 min",
          "· still: Run npm test, 2 min",
          "· still: thinking, 1 min",
          "· still: thinking, 2 min"
        ]
      )
      assert.notMatch(bare(log), /\r|\x1b/)
    })
  )

  it.effect("no row of the agent is a command to the runner", () =>
    Effect.gen(function* () {
      const pieces = ["Look:\n:", ":error::", "no\n", "##", "[add-mask]x\n"].map(text)
      const log = bare(yield* logOf(Stream.fromIterable([session, ...pieces, done()])))
      assert.include(log, "\n: :error::no\n## [add-mask]x\n")
    })
  )
})
