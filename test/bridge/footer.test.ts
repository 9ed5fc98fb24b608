/** What stands below an answer: once, whole, on its last message. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Schema, Stream } from "effect"
import { footerOf, saidOfItself, withFooter } from "../../src/bridge/turn/footer.ts"
import { render } from "../../src/channels/telegram/outgoing/render.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { parseResumeLine } from "../../src/ResumeLine.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { bridgeOf } from "./bridgeOf.ts"

const session: AgentEvent = { type: "session", sessionId: "8b2d", model: "opus", permissionMode: "plan" }

const footer = footerOf({
  agent: "claude",
  said: saidOfItself(saidOfItself({ model: "older" }, session), { ...session, model: "inner", parentToolId: "t" }),
  outcome: {
    result: {
      outcome: "completed",
      reason: "completed",
      text: "x",
      sessionId: "8b2d",
      durationMs: 123_000,
      totalCostUsd: 0.21,
      usage: undefined,
      aborted: false
    }
  },
  resumeLine: "claude --resume 8b2d"
})

describe("a footer", () => {
  it("has agent, model, mode, time and cost, and the line by which the session goes on", () => {
    assert.strictEqual(footer, "claude · opus · plan · 2 m 03 s · $0.21\n`claude --resume 8b2d`")
  })

  it("is whole on the last message, however long the answer is", () => {
    for (let length = 3_900; length < 4_200; length += 1) {
      for (const text of [
        "word ".repeat(length / 5),
        "x".repeat(length),
        `\`\`\`ts\n${"a = 1\n".repeat(length / 6)}`
      ]) {
        const pieces = render({ text: withFooter(text, footer) }).map((piece) => piece.text)
        const last = pieces.at(-1) ?? ""
        assert.isTrue(last.endsWith("claude · opus · plan · 2 m 03 s · $0.21\nclaude --resume 8b2d"), `${length}`)
        assert.deepStrictEqual(parseResumeLine(last), { cli: "claude", sessionId: "8b2d" })
        assert.isTrue(pieces.every((piece) => piece.length <= 4_096))
      }
    }
  })

  it.prop("stands behind any text, as no part of it", [Schema.String], ([text]) => {
    const [last] = render({ text: withFooter(text, footer) }).slice(-1)
    assert.deepStrictEqual(parseResumeLine(last?.text ?? ""), { cli: "claude", sessionId: "8b2d" })
  })

  it.live("is there where the bridge was told so, and then not on the message of progress", () =>
    Effect.gen(function* () {
      const seen = Latch.makeUnsafe(false)
      const works = () =>
        Stream.concat(
          Stream.make(session),
          Stream.fromEffect(Effect.as(seen.await, { type: "text", text: "All clean." } satisfies AgentEvent))
        )
      const { say, shown, ours } = yield* (yield* bridgeOf(TestRuntime.layer(works), {
        footer: true,
        progress: "edit"
      }))()
      yield* say("clean up", { from: "ann" })
      yield* shown("ann", "⏳")
      seen.openUnsafe()
      yield* shown("ann", "All clean.\n\ntest · opus · plan")
      yield* shown("ann", "✓ done")
      assert.strictEqual(ours("ann").length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("is not there otherwise, nor below a failure", () =>
    Effect.gen(function* () {
      const agent = TestRuntime.layer(({ prompt }) => [{ type: "text", text: prompt }])
      const plain = yield* (yield* bridgeOf(agent))()
      yield* plain.say("hello", { from: "ann" })
      assert.strictEqual((yield* plain.shown("ann", "hello")).text, "hello")
    }).pipe(Effect.scoped)
  )
})
