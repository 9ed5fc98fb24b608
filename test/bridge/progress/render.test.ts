/** Events of a run → the text of its progress message. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { marked } from "marked"
import { type ProgressFacts, renderInterrupted, renderProgress } from "../../../src/bridge/progress/render.ts"
import { beginProgress, endProgress, progressStep } from "../../../src/bridge/progress/state.ts"
import type { AgentEvent, NoticeEvent } from "../../../src/contract/AgentEvent.ts"
import { Arbitraries } from "../../../src/testingEffect.ts"
import { runs } from "../../kit/runs.ts"

const start = Date.UTC(2026, 10, 23, 14, 0)
const zone = "UTC"

const begun = beginProgress({ cli: "claude", at: start })

/** Each event is a second after the previous one. */
const progressAfter = (events: ReadonlyArray<AgentEvent>) =>
  events.reduce((progress, event, at) => progressStep(progress, event, start + (at + 1) * 1000), begun)

const visible = (events: ReadonlyArray<AgentEvent>, facts: ProgressFacts = {}, mode: "edit" | "brief" = "edit") =>
  renderProgress(progressAfter(events), { zone, ...facts }, start + 72_000, mode).payload.text

const use = (toolId: string, kind: string, title: string, more: object = {}) =>
  ({ type: "tool_use", toolId, toolName: kind, kind, title, input: {}, ...more }) as AgentEvent
const result = (toolId: string, isError = false) => ({ type: "tool_result", toolId, output: "", isError }) as const
const text = (piece: string) => ({ type: "text", text: piece }) as const
const notice = (kind: NoticeEvent["kind"], data?: Record<string, unknown>, message = ""): AgentEvent => ({
  type: "notice",
  kind,
  message,
  ...(data === undefined ? {} : { data })
})
const asks = (requestId: string, title: string) =>
  ({ type: "permission_request", requestId, title, toolId: "t", kind: "command", input: {}, scopes: [] }) as never
const decides = (requestId: string) =>
  ({ type: "permission_decision", requestId, decision: "allow", by: "caller" }) as never
const turnDone = (more: object = {}) =>
  ({
    type: "turn_done",
    result: { outcome: "completed", reason: "completed", text: "", durationMs: 123_456, totalCostUsd: 0.21, ...more }
  }) as never

describe("a running run", () => {
  it("shows agent, time, steps, and each action by its kind", () => {
    const events = [
      { type: "session", sessionId: "s", model: "opus-5", workingDirectory: "/w" } as const,
      use("a", "command", "npm test"),
      result("a"),
      use("b", "read", "/w/b.ts"),
      result("b", true),
      use("c", "mcp", "db: execute", { toolName: "mcp__db__execute" }),
      use("d", "other", "x", { toolName: "Skill" }),
      use("e", "file_change", "/w/src/a.ts", { edits: [{ path: "/w/src/a.ts", before: "1", after: "2\n3\n4\n5" }] })
    ]
    assert.deepStrictEqual(visible(events)?.split("\n"), [
      "⏳ claude · opus\\-5 · 1 m 12 s · 5 steps",
      "✓ `npm test`",
      "✗ read `b.ts`",
      "▸ `db: execute`",
      "▸ `Skill` `x`",
      "▸ edit `src/a.ts` (+4 −1)"
    ])
  })

  it("shows the newest five, preferring running ones, and counts the rest", () => {
    const done = Array.from({ length: 30 }, (_, at) => [use(`t${at}`, "command", `c${at}`), result(`t${at}`)]).flat()
    assert.deepStrictEqual(
      visible([use("long", "command", "long"), ...done])
        ?.split("\n")
        .slice(1),
      ["… 26 more", "▸ `long`", "✓ `c26`", "✓ `c27`", "✓ `c28`", "✓ `c29`"]
    )
  })

  it("shows the newest action of a sub-agent at any depth, until it ends", () => {
    const events = [
      use("p", "subagent", "find callers"),
      use("q", "command", "a", { parentToolId: "p" }),
      use("r", "command", "b", { parentToolId: "q" }),
      result("q")
    ]
    assert.deepStrictEqual(visible(events)?.split("\n").slice(1), ["… 1 more", "▸ agent `find callers`", "↳ ▸ `b`"])
    assert.deepStrictEqual(
      visible([...events, result("p")])
        ?.split("\n")
        .slice(1),
      ["… 2 more", "✓ agent `find callers`"]
    )
  })

  for (const [name, events, line] of [
    ["a rate limit", [notice("rate_limit", { waitUntilMs: start + 600_000 })], "… rate limited until 14:10"],
    ["one that is over", [notice("rate_limit", { waitUntilMs: start + 60_000 })], undefined],
    ["one that allows", [notice("rate_limit", { status: "allowed" })], undefined],
    ["a retry", [notice("retry", { delayMs: 3_600_000 })], "… waiting to retry until 15:00"],
    ["a retry that is over", [notice("retry", { delayMs: 3_600_000 }), text("")], undefined],
    ["its turn", [notice("queued", undefined, "waits for *billing*")], "… waits for \\*billing\\*"],
    ["a person", [asks("r", "rm `x`")], "✋ waiting for you: `` rm `x` ``"],
    ["a person, twice", [asks("r", "a"), asks("s", "b")], "✋ waiting for you: 2 requests"],
    ["a person who has decided", [asks("r", "a"), decides("r")], undefined],
    ["a silent agent", [notice("stalled", { silentMs: 120_000 })], "! no output for 2 m 00 s"],
    [
      "a silent agent that is asked",
      [asks("r", "a"), notice("stalled", { silentMs: 120_000 }), decides("r")],
      undefined
    ],
    ["one that speaks again", [notice("stalled", { silentMs: 1 }), notice("progress")], undefined]
  ] as const) {
    it(`waits for ${name}`, () => assert.strictEqual(visible(events)?.split("\n")[1], line))
  }

  it("shows at most ten silences", () => {
    const silences = Array.from({ length: 11 }, (_, at) => [
      notice("stalled", { silentMs: 1000 * at }),
      text("")
    ]).flat()
    assert.include(visible(silences.slice(0, 19)), "no output for")
    assert.notInclude(visible(silences.slice(0, 21)), "no output for")
  })

  it("shows the end of the text, without retracted parts", () => {
    const words = Array.from({ length: 3_000 }, (_, at) => `w${at}`)
    const content = visible([text(words.join(" ")), text("gone"), notice("text_voided", { characters: 4 })])
      ?.split("\n")
      .at(-1)
    assert.match(content ?? "", /^> … w\d+ .* w2999$/)
    assert.isAtMost(content?.length ?? 0, 404)
  })

  it("shows the number of waiting messages, and the stop button", () => {
    const stop = { label: "Stop", data: "s:1" }
    const { payload } = renderProgress(progressAfter([]), { queued: 2, stop }, start, "edit")
    assert.deepStrictEqual(payload, { text: "⏳ claude · 0 s\nqueued · 2", silent: true, buttons: [[stop]] })
  })

  it("has the same key while only a little time has passed", () => {
    const keyAt = (ms: number) => renderProgress(progressAfter([use("a", "command", "x")]), {}, start + ms, "edit").key
    assert.strictEqual(keyAt(2_000), keyAt(14_000))
    assert.notStrictEqual(keyAt(2_000), keyAt(15_000))
  })
})

describe("in brief", () => {
  it("shows only the start, for any event", () => {
    const events = [use("a", "command", "x"), text("hello"), notice("retry")]
    assert.strictEqual(visible(events, {}, "brief"), "⏳ claude is at work")
  })
})

describe("the end", () => {
  for (const [name, events, line] of [
    ["well", [turnDone()], "✓ done · claude · 2 m 03 s · $0.21"],
    ["stopped", [turnDone({ outcome: "aborted", reason: "aborted" })], "■ stopped · claude · 2 m 03 s · $0.21"],
    [
      "late",
      [turnDone({ outcome: "timed_out", reason: "timed_out", totalCostUsd: undefined })],
      "■ timed out · claude · 2 m 03 s"
    ],
    [
      "before it began, where an earlier host had begun it",
      [turnDone({ outcome: "failed", reason: "turn_interrupted", totalCostUsd: undefined })],
      "■ interrupted: the host was restarted · claude"
    ],
    [
      "badly",
      [turnDone({ outcome: "failed", reason: "not_installed", durationMs: 0 })],
      "✗ failed · claude · not installed · 1 s · $0.21"
    ],
    [
      "by an error of the agent",
      [
        { type: "error", message: "<b>", code: "x", category: "rate_limit", retryable: true } as AgentEvent,
        turnDone({ outcome: "failed", reason: "agent_failed" })
      ],
      "✗ failed · claude · rate limit · 2 m 03 s · $0.21"
    ]
  ] as const) {
    it(name, () => assert.strictEqual(visible(events), line))
  }

  it("has the resume line, and does not change afterwards", () => {
    assert.strictEqual(
      visible([turnDone(), use("a", "command", "x"), notice("stalled", { silentMs: 1 })], {
        resumeLine: "claude --resume 8b2d"
      }),
      "✓ done · claude · 2 m 03 s · $0.21\n`claude --resume 8b2d`"
    )
  })

  it("is a failure if no event reported it", () => {
    const { payload } = renderProgress(endProgress(begun, start + 3_000), {}, start, "edit")
    assert.strictEqual(payload.text, "✗ failed · claude · 3 s")
  })

  it("of a run whose host was restarted says so", () => {
    assert.deepStrictEqual(renderInterrupted("claude", { resumeLine: "claude --resume x" }), {
      text: "■ interrupted: the host was restarted · `claude`\n`claude --resume x`",
      silent: true
    })
  })
})

describe("untrusted text", () => {
  const nasty = Schema.Array(
    Schema.Literals([
      "`",
      "``",
      "```\n",
      "*",
      "_x_",
      "[a](http://b.c)",
      "<b>",
      "\n",
      "\n\n",
      "# ",
      "> ",
      "\u202e",
      "| a |",
      "\\",
      "~~~",
      " "
    ])
  )
  const unsafe = new Set([
    "link",
    "image",
    "html",
    "em",
    "strong",
    "heading",
    "code",
    "del",
    "table",
    "list",
    "blockquote",
    "hr"
  ])

  /** Kinds of all nodes, except the quoted text of the agent. */
  const typesOf = (markdown: string) => {
    const types = new Set<string>()
    marked.walkTokens(marked.lexer(markdown), ({ type }) => {
      types.add(type)
    })
    return types
  }

  it.prop(
    "stays in its code span",
    [nasty, Schema.Literals(["command", "read", "mcp", "other", "subagent"])],
    ([parts, kind]) => {
      const title = parts.join("")
      const events = [
        { type: "session", sessionId: "s", model: title } as const,
        use("a", kind, `${title}x`, { toolName: title }),
        use("b", kind, `x${title}`, { parentToolId: "a" }),
        notice("queued", undefined, title),
        asks("r", title)
      ]
      for (const some of [events, events.slice(0, 4)]) {
        for (const type of typesOf(visible(some) ?? "")) assert.isFalse(unsafe.has(type), `${type} in ${visible(some)}`)
      }
    },
    runs(500)
  )

  it.prop(
    "is never more than 3,500 characters",
    [Arbitraries.run, Schema.Literals(["`", "x", "\u202e", "🙂", "*"])],
    ([events, mark]) => {
      const long = mark.repeat(2_000)
      const many = Array.from({ length: 8 }, (_, at) => [
        use(`p${at}`, "subagent", long, { toolName: long }),
        use(`c${at}`, "other", long, { toolName: long, parentToolId: `p${at}` })
      ]).flat()
      const all = [...events.filter(({ type }) => type !== "done"), ...many, asks("r", long), text(long)]
      assert.isAtMost(visible(all, { queued: 3 })?.length ?? 0, 3_500)
    },
    runs(200)
  )

  it.prop(
    "of any events in any order is followed without a failure",
    [Arbitrary.array(Arbitraries.event, { maxLength: 20 })],
    ([events]) => {
      assert.isString(visible(events))
    },
    runs(300)
  )
})
