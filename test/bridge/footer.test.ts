/** The footer of an answer: once, complete, on the last message. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Latch, Schema, Stream } from "effect"
import { type FooterFacts, footerOf, turnFacts, withFooter, withoutFooter } from "../../src/bridge/turn/footer.ts"
import { promptOf } from "../../src/bridge/turn/prompt.ts"
import { render } from "../../src/channels/telegram/outgoing/render.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { parseResumeLine } from "../../src/conversations/ResumeLine.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { runs } from "../kit/runs.ts"
import { bridgeOf } from "./bridgeOf.ts"
import { anyOf } from "./format/documents.ts"
import { content, person } from "./incomingUpdates.ts"

const session: AgentEvent = { type: "session", sessionId: "8b2d", model: "opus", permissionMode: "plan" }

const facts: FooterFacts = {
  agent: "claude",
  facts: turnFacts(turnFacts({ model: "older" }, session), { ...session, model: "inner", parentToolId: "t" }),
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
}
const footer = footerOf(facts)

/** As Telegram renders it. */
const shownFooter = "claude · opus · plan · 2 m 03 s · $0.21\nclaude --resume 8b2d"

/** Documents, repeated until there are several messages. */
const longDocument = Arbitrary.map(
  Arbitrary.schema(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e9 })))),
  (seeds) => [...seeds, seeds.length, 7, 11, 13].map(anyOf).join("\n\n")
)

describe("a footer", () => {
  it("has agent, model, mode, time and cost, and the resume line", () => {
    assert.strictEqual(footer, "claude · opus · plan · 2 m 03 s · $0.21\n`claude --resume 8b2d`")
  })

  it("is complete on the last message, however long the answer is", () => {
    for (let length = 3_300; length < 3_600; length += 1) {
      for (const text of [
        "word ".repeat(length / 5),
        "x".repeat(length),
        `\`\`\`ts\n${"a = 1\n".repeat(length / 6)}`
      ]) {
        const pieces = render({ text: withFooter(text, footer) }).map((piece) => piece.text)
        const last = pieces.at(-1) ?? ""
        const mark = pieces.length > 1 ? `\n\n(${pieces.length}/${pieces.length})` : ""
        assert.isTrue(last.endsWith(`${shownFooter}${mark}`), `${length}`)
        assert.deepStrictEqual(parseResumeLine(last), { cli: "claude", sessionId: "8b2d" })
        assert.isTrue(pieces.every((piece) => piece.length <= 3_500))
      }
    }
  })

  it.prop("follows any text, and is not part of it", [Schema.String], ([text]) => {
    const [last] = render({ text: withFooter(text, footer) }).slice(-1)
    assert.deepStrictEqual(parseResumeLine(last?.text ?? ""), { cli: "claude", sessionId: "8b2d" })
  })

  it.each([
    "```ts\nlet a",
    "```long\ncode\n\n> quoted\n> ```\n> code\n> ```\n\nstill code",
    `~~~~\n${"code\n".repeat(2_000)}`,
    "<!-- a comment\n\nthat goes on",
    "<script>\n\nlet a",
    "<?php\n\n$a",
    "<![CDATA[\n\na",
    "<!DOCTYPE\n\na"
  ])("is not part of an unclosed block: %j", (text) => {
    const last = render({ text: withFooter(text, footer) }).at(-1)
    assert.isTrue(last?.text.replace(/\n\n\(\d\/\d\)$/, "").endsWith(`\n\n${shownFooter}`), last?.text)
  })

  it.prop(
    "is complete on the last of several numbered messages, for any answer",
    [longDocument],
    ([text]) => {
      const pieces = render({ text: withFooter(text, footer) }).map((piece) => piece.text)
      const marks = pieces.map((_, at) => (pieces.length > 1 ? `\n\n(${at + 1}/${pieces.length})` : ""))
      for (const [at, piece] of pieces.entries()) {
        assert.isAtMost(piece.length, 3_500)
        assert.isTrue(piece.endsWith(marks[at] ?? "?"))
        if (at < pieces.length - 1) assert.isUndefined(parseResumeLine(piece))
      }
      const last = pieces.at(-1) ?? ""
      // Where parts of a long text are read apart, it can be code.
      assert.isTrue(last.replaceAll("`", "").endsWith(`${shownFooter}${marks.at(-1)}`))
      assert.deepStrictEqual(parseResumeLine(last), { cli: "claude", sessionId: "8b2d" })
    },
    runs(300)
  )

  it.each([
    ["with all of it", footer],
    ["without a line", footerOf({ ...facts, resumeLine: undefined })],
    ["with the agent and the cost", "codex · $0.0012"],
    ["with a long time", "codex · 1 h 05 m"]
  ])("is not part of a quoted answer, %s", (_, below) => {
    const promptFor = (text: string, ours: boolean) =>
      promptOf([{ ...content("and then?", person("1")), replyTo: { messageId: "1", text, ours } }])
    for (const answer of ["All clean.", "word ".repeat(900)]) {
      const visible = render({ text: withFooter(answer, below) }).at(-1)?.text ?? ""
      const quoted = promptFor(visible, true).split("\n")[0] ?? ""
      assert.match(quoted, /^> (?:All clean\.|word )/)
      for (const part of ["·", "--resume", "(2/2)"]) assert.notInclude(quoted, part)
    }
    assert.strictEqual(promptFor(render({ text: below })[0]?.text ?? "", true), "and then?")
    assert.include(promptFor(`Done.\n\n${below}`, false), "·")
  })

  it("is not confused with similar text inside an answer", () => {
    const answer = "It took · 3 s\n\nand · then\nsome more"
    assert.strictEqual(withoutFooter(answer), answer)
  })

  it.live("appears if configured, and then not in the progress message", () =>
    Effect.gen(function* () {
      const known = Latch.makeUnsafe(false)
      const works = () =>
        Stream.concat(
          Stream.make(session),
          Stream.fromEffect(Effect.as(known.await, { type: "text", text: "All clean." } satisfies AgentEvent))
        )
      const {
        say,
        shown: visible,
        ours
      } = yield* (yield* bridgeOf(TestRuntime.layer(works), {
        footer: true,
        progress: "edit"
      }))()
      yield* say("clean up", { from: "ann" })
      yield* visible("ann", "⏳")
      known.openUnsafe()
      yield* visible("ann", "All clean.\n\ntest · opus · plan")
      yield* visible("ann", "✓ done")
      assert.strictEqual(ours("ann").length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("does not appear by default, nor below a failure", () =>
    Effect.gen(function* () {
      const agent = TestRuntime.layer(({ prompt }) => [{ type: "text", text: prompt }])
      const plain = yield* (yield* bridgeOf(agent))()
      yield* plain.say("hello", { from: "ann" })
      assert.strictEqual((yield* plain.shown("ann", "hello")).text, "hello")
    }).pipe(Effect.scoped)
  )
})
