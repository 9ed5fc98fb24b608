/**
 * A script's words are the events of a run over it, for every CLI: real processes, through the runtime of the package.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { clis } from "../../src/agents/Agents.ts"
import { dialects } from "../../src/testing/dialects.ts"
import { type FailureKind, FakeCli, Step } from "../../src/testing.ts"
import { completed, endingOf, errorOf, resultOf } from "../kit/events.ts"
import { commandTool, eventsOf, ids, runOf, storyOf } from "./kit.ts"

describe.each(ids)("%s", (id) => {
  const fake = FakeCli[id]
  const name = commandTool[id]
  const input = { command: "ls" }
  const hasDeltas = id === "claude" || id === "gemini" || id === "pi"
  const hasThoughts = id !== "gemini"
  const hasCost = id === "claude" || id === "opencode" || id === "pi"
  /** Where text comes in blocks, a blank line parts them. */

  const formOf = (sessionId = "") => sessionId.replace(/[0-9a-f]/g, "0")

  it.live("a script with nothing in it is a session and a success", () =>
    Effect.gen(function* () {
      const { events } = yield* runOf(fake([]))
      assert.deepStrictEqual(storyOf(events), ["session"])
      assert.deepStrictEqual(endingOf(events), completed)
      const { sessionId, usage, totalCostUsd, exit } = resultOf(events)
      assert.strictEqual(formOf(sessionId), formOf(dialects[id].sessionId))
      assert.deepInclude(usage, { inputTokens: 10, outputTokens: 5 })
      assert.strictEqual(totalCostUsd, hasCost ? 0.001 : undefined)
      if (exit !== undefined) assert.deepStrictEqual(exit, { code: 0 })
    })
  )

  it.live("says text in pieces, and what a tool was asked and has answered", () =>
    Effect.gen(function* () {
      const steps = [
        Step.text(["wörld ", "🎉"]),
        Step.tool({ name, input, output: "a.txt" }),
        Step.tool({ name, input, output: "no such file", isError: true }),
        Step.text('the "end"\n')
      ]
      const { events } = yield* runOf(fake(steps))
      const call = [`tool_use ${name} ${JSON.stringify(input)}`]
      assert.deepStrictEqual(storyOf(events), [
        "session",
        ...(hasDeltas ? ["text wörld ", "text 🎉"] : ["text wörld 🎉"]),
        ...[...call, "tool_result a.txt"],
        ...[...call, "tool_result no such file (error)"],
        `text \n\nthe "end"\n`
      ])
      assert.deepStrictEqual(endingOf(events), completed)
      assert.strictEqual(resultOf(events).text, `wörld 🎉\n\nthe "end"\n`)
      assert.strictEqual(resultOf(events).numTurns, hasCost ? 3 : undefined)
    })
  )

  it.live("tells tools apart that run at once, in the order in which they end", () =>
    Effect.gen(function* () {
      const steps = [
        Step.toolStart({ id: "one", name, input }),
        Step.toolStart({ id: "two", name, input }),
        Step.toolEnd({ id: "two", output: "2" }),
        Step.toolEnd({ id: "one", output: "1" }),
        Step.text("both")
      ]
      const { events } = yield* runOf(fake(steps))
      const tools = events.flatMap((event) =>
        event.type === "tool_use" || event.type === "tool_result" ? [`${event.type} ${event.toolId}`] : []
      )
      const [one, two] = [
        ["tool_use one", "tool_result one"],
        ["tool_use two", "tool_result two"]
      ] as const
      const asTheyBegin = [one[0], two[0], two[1], one[1]]
      assert.deepStrictEqual(tools, id === "opencode" ? [...two, ...one] : asTheyBegin)
      assert.strictEqual(resultOf(events).text, "both")
    })
  )

  it.live.skipIf(!hasThoughts)("says thoughts, which are not part of the answer", () =>
    Effect.gen(function* () {
      const { events } = yield* runOf(fake([Step.thinking(["let me ", "see"]), Step.text("yes")]))
      const thoughts = events.flatMap((event) => (event.type === "thinking" ? [event.text] : []))
      assert.strictEqual(thoughts.join(""), "let me see")
      assert.strictEqual(resultOf(events).text, "yes")
    })
  )

  it.live.skipIf(id === "gemini")("tells a retry", () =>
    Effect.gen(function* () {
      const { events } = yield* runOf(
        fake([Step.retry({ attempt: 2, maxRetries: 7, delay: "2 seconds" }), Step.text("ok")])
      )
      assert.deepStrictEqual(storyOf(events), ["session", "notice retry", "text ok"])
      const [retry] = events.filter((event) => event.type === "notice")
      const data = { claude: { attempt: 2, maxRetries: 7, delayMs: 2000 }, codex: { attempt: 2, maxRetries: 7 } }
      if (id === "claude" || id === "codex") assert.deepInclude(retry?.data, data[id])
    })
  )

  it.live("fails as the CLI does: the kind is the category, and the message is in it", () =>
    Effect.gen(function* () {
      const kinds = [
        "auth", "billing", "rate_limit", "overloaded", "context_overflow", "invalid_request", "network", "permission",
        "other"
      ] as const satisfies ReadonlyArray<FailureKind> // biome-ignore format: one list
      const runs = yield* Effect.forEach(
        kinds.filter((kind) => kind !== "permission" || id !== "claude"),
        (kind) =>
          Effect.map(runOf(fake([Step.text("so far"), Step.error({ kind })])), ({ events }) => ({ kind, events })),
        { concurrency: 3 }
      )
      for (const { kind, events } of runs) {
        assert.deepInclude(errorOf(events), { category: kind })
        assert.deepInclude(resultOf(events), { outcome: "failed", reason: "agent_failed", text: "so far" })
        const { exit } = resultOf(events)
        if (exit !== undefined) assert.strictEqual("code" in exit && exit.code === 0, id === "pi")
      }
      const { events } = yield* runOf(fake([Step.error({ kind: "auth", message: "not with this key" })]))
      assert.deepInclude(errorOf(events), { category: "auth" })
      assert.include(errorOf(events).message, "not with this key")
    })
  )

  it.live.skipIf(id === "codex" || id === "pi")("tells when to try again", () =>
    Effect.gen(function* () {
      const { events } = yield* runOf(fake([Step.error({ kind: "rate_limit", retryAfter: "3 seconds" })]))
      assert.deepInclude(errorOf(events), { category: "rate_limit", retryable: true, retryAfterMs: 3000 })
    })
  )

  it.live("ends with the counts and the fields that it is given", () =>
    Effect.gen(function* () {
      const usage = { inputTokens: 7, outputTokens: 3, cacheReadTokens: 2 }
      const result = Step.result({ usage, ...(hasCost ? { costUsd: 0.25 } : {}), fields: { of_tomorrow: true } })
      const { events } = yield* runOf(fake([Step.text("ok"), result]))
      assert.deepStrictEqual(endingOf(events), completed)
      assert.deepInclude(resultOf(events).usage, usage)
      assert.strictEqual(resultOf(events).totalCostUsd, hasCost ? 0.25 : undefined)
    })
  )

  it.live("opens its session when it is told to, and goes on with the one that it is asked for", () =>
    Effect.gen(function* () {
      const opened = yield* runOf(fake([Step.session(), Step.hang()]), {}, { timeouts: { idle: "500 millis" } })
      assert.include(storyOf(opened.events), "session")
      assert.strictEqual(resultOf(opened.events).reason, "timed_out")
      const own = { claude: "c", gemini: "g", codex: "c", opencode: "ses_o", pi: "p" }[id]
      const named = yield* runOf(fake([], { sessionId: own }))
      assert.strictEqual(resultOf(named.events).sessionId, own)
      const sessionId = id === "opencode" ? "ses_older" : "99999999-9999-4999-8999-999999999999"
      const resumed = yield* runOf(fake([]), { sessionId })
      assert.strictEqual(resultOf(resumed.events).sessionId, sessionId)
      if (!clis[id].supports.has("forkSession")) return
      const one = fake([])
      const begun = yield* runOf(one)
      const forked = yield* runOf(one, { sessionId, forkSession: true })
      assert.strictEqual(resultOf(forked.events).sessionId, resultOf(begun.events).sessionId)
    })
  )

  it.live("says lines as they are, in between and instead", () =>
    Effect.gen(function* () {
      const unknown = { type: "of tomorrow", deep: [1] }
      const { events } = yield* runOf(fake([Step.session(), Step.line("no JSON"), Step.line(unknown), Step.text("ok")]))
      assert.deepInclude(eventsOf(events), { type: "unknown", raw: unknown })
      assert.include(storyOf(events), "notice malformed_line")
      assert.strictEqual(resultOf(events).text, "ok")
      const raw = yield* runOf(fake([Step.line("{"), Step.exit(0)]))
      assert.deepStrictEqual(storyOf(raw.events), ["notice malformed_line"])
      assert.strictEqual(resultOf(raw.events).reason, "no_result")
    })
  )
})
