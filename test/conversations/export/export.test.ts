import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import type { AgentEvent, AgentRunResult, PromptEvent } from "reins"
import { AgentEvent as AnyEvent } from "../../../src/contract/AgentEvent.ts"
import { type ExportedSession, exportText } from "../../../src/conversations/export/exportText.ts"

const session: ExportedSession = {
  cli: "codex",
  sessionId: "019a",
  conversation: ["telegram", "42"],
  title: "fix the build",
  directory: "/work",
  origin: "reins",
  state: "live",
  createdAt: Date.UTC(2026, 10, 23, 2, 20, 11),
  usedAt: 0,
  resumeLine: "`codex resume 019a`"
}

const result = (more: Partial<AgentRunResult> = {}): AgentRunResult => ({
  outcome: "completed",
  reason: "completed",
  text: "",
  sessionId: "019a",
  durationMs: 12_300,
  usage: { inputTokens: 1234, outputTokens: 56 },
  aborted: false,
  ...more
})

type Event = AgentEvent | PromptEvent

const exported = (events: ReadonlyArray<Event>, format: "markdown" | "json", head = session) =>
  Stream.mkString(
    exportText(
      head,
      Stream.fromIterable(
        events.map((event, index) => ({ position: index + 1, at: session.createdAt ?? 0, runId: "r", event }))
      ),
      format
    )
  )

const prompt = (text: string): Event => ({ type: "prompt", text })
const text = (content: string, parentToolId?: string): Event => ({
  type: "text",
  text: content,
  ...(parentToolId === undefined ? {} : { parentToolId })
})
const done = (more?: Partial<AgentRunResult>): Event => ({ type: "done", result: result(more) })

const twoTurns: ReadonlyArray<Event> = [
  prompt("why does the build fail?"),
  { type: "session", sessionId: "019a", model: "gpt-6" },
  { type: "thinking", text: "hm" },
  text("I look. "),
  { type: "tool_use", toolName: "shell", toolId: "1", title: "npm run build", input: {} },
  { type: "tool_result", toolId: "1", output: "error TS1005\n```", isError: true },
  { type: "tool_use", toolName: "Task", toolId: "2", title: "search", input: {} },
  { type: "tool_use", toolName: "read", toolId: "3", title: "a.ts", input: {}, parentToolId: "2" },
  { type: "tool_result", toolId: "3", output: "…", isError: false, parentToolId: "2" },
  text("Found it.", "2"),
  { type: "tool_result", toolId: "2", output: "Found it.", isError: false },
  text("A bracket "),
  text("is missing. NO"),
  { type: "notice", kind: "text_voided", message: "withdrawn", data: { characters: 3 } },
  done(),
  prompt("and now?"),
  { type: "session", sessionId: "019a", model: "gpt-6" },
  text("It passes."),
  done({ usage: { inputTokens: 9 }, totalCostUsd: 0.0123 })
]

it.effect("is read by people as Markdown", () =>
  Effect.gen(function* () {
    expect(yield* exported(twoTurns, "markdown")).toBe(`# fix the build

- Agent: \`codex\`
- Session: \`019a\`
- Go on with it: \`codex resume 019a\`
- Conversation: \`telegram\`, \`42\`
- Directory: \`/work\`
- Begun: 2026-11-23 02:20:11 UTC

## 1 · 2026-11-23 02:20:11 UTC

**Prompt**

> why does the build fail?

**Agent**

- Model: \`gpt-6\`

> I look.

- \`shell\` \`npm run build\` – failed

  \`\`\`\`
  error TS1005
  \`\`\`
  \`\`\`\`

- \`Task\` \`search\`

**Sub-agent** \`search\`

- \`read\` \`a.ts\`

> Found it.

**Agent**

> A bracket is missing.

*Completed after 12 s, 1,234 input tokens, 56 output tokens*

## 2 · 2026-11-23 02:20:11 UTC

**Prompt**

> and now?

**Agent**

> It passes.

*Completed after 12 s, 9 input tokens, $0.012*
`)
  })
)

it.effect("is read by programs as JSON lines, uncut", () =>
  Effect.gen(function* () {
    const long = "x".repeat(10_000)
    const lines = (yield* exported([prompt("a"), text(long), done({ text: long })], "json")).trimEnd().split("\n")
    const [head, ...events] = lines.map((line) => JSON.parse(line))
    expect(head).toEqual({ session })
    expect(events).toMatchObject([
      { position: 1, at: session.createdAt, runId: "r", event: { type: "prompt", text: "a" } },
      { position: 2, event: { type: "text", text: long } },
      { position: 3, event: { type: "done", result: { text: long } } }
    ])
  })
)

describe("in Markdown", () => {
  it.effect("an answer is cut at 2,000 characters", () =>
    Effect.gen(function* () {
      const visible = yield* exported([prompt("a"), text("x".repeat(12_345)), done()], "markdown")
      expect(visible).toContain(`> ${"x".repeat(2_000)}\n\n*… and 10,345 characters more*`)
    })
  )

  it.effect("a session of several turns ends without a turn of its own", () =>
    Effect.gen(function* () {
      const turn = (answer: string): ReadonlyArray<Event> => [
        prompt("p"),
        text(answer),
        { type: "turn_done", result: result() }
      ]
      const visible = yield* exported([...turn("one"), ...turn("two"), done()], "markdown")
      expect(visible.match(/^## /gm)).toHaveLength(2)
    })
  )

  it.effect("an answer that was not streamed is taken from the result", () =>
    Effect.gen(function* () {
      expect(yield* exported([prompt("p"), done({ text: "whole" })], "markdown")).toContain("> whole\n")
    })
  )

  it.effect("a turn that never ended is there", () =>
    Effect.gen(function* () {
      expect(yield* exported([prompt("p"), text("half")], "markdown")).toContain("> half\n")
    })
  )

  it.effect("a failure, a denial and a warning are told", () =>
    Effect.gen(function* () {
      const visible = yield* exported(
        [
          prompt("p"),
          { type: "notice", kind: "warning", message: "careful `now`" },
          { type: "notice", kind: "progress", message: "50 %" },
          { type: "permission_decision", requestId: "1", decision: "deny", by: "rule", message: "no network" },
          { type: "error", message: "it broke\n# x", code: "exited", category: "other", retryable: false },
          done({ outcome: "failed", reason: "exited", durationMs: 0, usage: undefined })
        ],
        "markdown"
      )
      expect(visible).toContain("- Notice: `` careful `now` ``")
      expect(visible).not.toContain("50 %")
      expect(visible).toContain("- Denied: `no network`")
      expect(visible).toContain("- Failed: `it broke # x`")
      expect(visible).toContain("\n*Failed*\n")
    })
  )

  it.effect("a head of strangers is text", () =>
    Effect.gen(function* () {
      const visible = yield* exported([], "markdown", {
        ...session,
        title: "\u001b]0;x\u0007# <b>\n[a](b)",
        directory: "/a`\n## b",
        createdAt: Number.NaN
      })
      expect(visible).toBe(`# \\\\u001b\\]0\\;x\\\\u0007\\# \\<b\\> \\[a\\]\\(b\\)

- Agent: \`codex\`
- Session: \`019a\`
- Go on with it: \`codex resume 019a\`
- Conversation: \`telegram\`, \`42\`
- Directory: \`\`/a\` ## b\`\`
`)
    })
  )

  /** Each line is in a quote, or one of those that are written here. */
  const ours =
    /^(?:|# .*|## \d+( · [\d-]+ [\d:]+ UTC)?|>( .*)?|\*\*(Prompt|Agent|Sub-agent)\*\*( `+.*`+)?|- (`+.*`+|[A-Z][a-z ]+: ).*| {2}.*|\*.*\*)$/
  const Hostile = Schema.Array(
    Schema.Literals(["```", "~~~", "\n", "\n\n", "# ", "> ", "- ", "<b>", "](", "]: ", "`", "\\", "\u202e", "\r", "x"])
  ).check(Schema.isMaxLength(12))

  it.effect.prop("nothing of an agent or a tool leaves its place", [Hostile, Hostile, Hostile], ([one, two, three]) =>
    Effect.gen(function* () {
      const visible = yield* exported(
        [
          prompt(one.join("")),
          { type: "tool_use", toolName: two.join(""), toolId: "1", title: three.join(""), input: {} },
          { type: "tool_result", toolId: "1", output: one.join(""), isError: true },
          text(two.join("")),
          text(three.join(""), "1"),
          done()
        ],
        "markdown",
        { ...session, title: one.join(""), directory: two.join("") }
      )
      expect(visible.split("\n").filter((line) => !ours.test(line))).toEqual([])
      expect(visible).not.toMatch(/[\r\u202e]/)
    })
  )
})

it.effect.prop("any events are written in both forms", [Schema.Array(AnyEvent)], ([events]) =>
  Effect.gen(function* () {
    expect(yield* exported(events, "markdown")).toMatch(/^# fix the build\n/)
    const lines = (yield* exported(events, "json")).trimEnd().split("\n")
    expect(lines.map((line) => Object.keys(JSON.parse(line)).at(-1))).toEqual(["session", ...events.map(() => "event")])
  })
)
