/** A run and a live session stay in one session: the first line of another one is the last that counts. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { makeListener, type SessionParams } from "../../../src/agents/engine/listener.ts"
import type { Cli } from "../../../src/cli/Cli.ts"
import { claude } from "../../../src/cli/claude/index.ts"
import { codex } from "../../../src/cli/codex/index.ts"
import { unread } from "../../../src/cli/Decoder.ts"
import type { FailureReason } from "../../../src/contract/AgentError.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { makeRedactor } from "../../../src/system/process/redactor.ts"

const [request, other, third] = [
  "0d3f5e2c-7a41-4c59-9b1e-3f6a8d2c4b70",
  "5b8c1f94-2e6d-4a37-8c05-d19e7b3a6f42",
  "c4a7d2e8-91b3-4f60-a5d8-6e0f1c9b7a35"
] as const

const session = (sessionId: string, facts: object = {}): AgentEvent => ({ type: "session", sessionId, ...facts })
const text = (text: string): AgentEvent => ({ type: "text", text })

/** The lines that were read, their events, and the failure for a foreign session. */
const listen = (
  cli: Cli,
  params: SessionParams,
  lines: ReadonlyArray<{ json: object; events: ReadonlyArray<AgentEvent> }>
) => {
  const events: Array<AgentEvent> = []
  const failures: Array<FailureReason> = []
  const read: Array<boolean> = lines.map(() => false)
  const listener = makeListener({
    cli,
    options: {},
    params,
    workingDirectory: "/w",
    watchdog: { notice: () => {} },
    redactor: makeRedactor([]),
    course: {
      stages: unread.stages,
      give: (event) => events.push(event),
      isOver: () => failures.length > 0,
      fail: (failure) => failures.push(failure),
      onLineEnd: () => {}
    }
  })
  for (const [index, { json, events }] of lines.entries()) {
    const outputs = () => {
      read[index] = true
      return events
    }
    listener.onLine({ json, outputs, notices: [], bytes: undefined, isUnfinished: false })
  }
  const [changed] = failures
  return { read, events, changed: changed?._tag === "SessionChanged" ? changed : undefined, failures: failures.length }
}

/** Each line is the events that it would give. */
const received = (params: SessionParams, ...lines: ReadonlyArray<ReadonlyArray<AgentEvent>>) =>
  listen(
    codex,
    params,
    lines.map((events) => ({ json: {}, events }))
  )

describe("a session", () => {
  it.each<readonly [string, SessionParams, ReadonlyArray<string>]>([
    ["that was asked for", { sessionId: request }, [request]],
    ["that was asked for in capitals", { sessionId: request.toUpperCase() }, [request]],
    ["of the caller's own name", { newSessionId: request }, [request]],
    ["that is new", {}, [other]],
    ["that is a fork", { sessionId: request, forkSession: true }, [other]],
    ["that is a fork with a name", { sessionId: request, forkSession: true, newSessionId: other }, [other]],
    ["that is told again", { sessionId: request }, [request, request]]
  ])("goes on: one %s", (_, params, reported) => {
    const { events, changed } = received(params, ...reported.map((id) => [session(id)]), [text("hi")])
    assert.isUndefined(changed)
    assert.deepStrictEqual(events, [session(reported[0] ?? ""), text("hi")])
  })

  it.each<readonly [string, SessionParams, ReadonlyArray<string>, object]>([
    ["than was asked for", { sessionId: request }, [other], { asked: request, got: other }],
    ["of the same letters in another case", { sessionId: "ses_aB" }, ["ses_Ab"], { asked: "ses_aB", got: "ses_Ab" }],
    ["than the caller named", { newSessionId: request }, [other], { asked: request, got: other }],
    ["than had begun", {}, [request, other], { asked: request, got: other }],
    ["than had been resumed", { sessionId: request }, [request, other, request], { asked: request, got: other }],
    ["than the fork", { sessionId: request, forkSession: true }, [other, third], { asked: other, got: third }]
  ])("is not left for another one %s", (_, params, reported, facts) => {
    const { events, changed } = received(params, ...reported.map((id) => [session(id), text(id)]), [text("more")])
    assert.deepInclude(changed, { _tag: "SessionChanged", code: "session_changed", category: "protocol", ...facts })
    assert.isFalse(changed?.retryable)
    assert.isFalse(JSON.stringify(events).includes(reported.at(-1) === request ? "more" : (reported.at(-1) ?? "")))
    assert.deepStrictEqual(events.at(-1)?.type, reported.length === 1 ? undefined : "text")
  })

  it("of a sub-agent is its own", () => {
    const nested = session(other, { parentToolId: "t" })
    const { events, changed } = received({ sessionId: request }, [session(request)], [nested], [text("hi")])
    assert.isUndefined(changed)
    assert.deepStrictEqual(events, [session(request), nested, text("hi")])
  })

  it("is told again when one of its facts has changed", () => {
    const { events } = received(
      {},
      [session(request)],
      [session(request, { model: "m" })],
      [session(request, { model: "m" })]
    )
    assert.deepStrictEqual(events, [session(request), session(request, { model: "m" })])
  })

  it("has a foreign name bounded in the message", () => {
    assert.isBelow(received({ sessionId: request }, [session("x".repeat(1_000_000))]).changed?.message.length ?? 0, 500)
  })

  it.prop(
    "gives nothing behind the first name that is another",
    { before: Schema.Array(Schema.String), behind: Schema.Array(Schema.String) },
    ({ before, behind }) => {
      const own = before.map((words) => [text(words)])
      const foreign = behind.map((words) => [text(`foreign ${words}`)])
      const { events, changed } = received({ sessionId: request }, ...own, [session(other)], ...foreign)
      assert.deepStrictEqual(events, own.flat())
      assert.deepInclude(changed, { asked: request, got: other })
    }
  )
})

describe("lines of Claude Code", () => {
  const init = (session_id: string) => ({ type: "system", subtype: "init", session_id })
  const content = (session_id: string, facts: object = {}) => ({ type: "assistant", session_id, ...facts })
  const result = (session_id: string, is_error = false) => ({ type: "result", is_error, session_id })

  /** Whether each of them was read. */
  const read = (params: SessionParams, ...lines: ReadonlyArray<object>) =>
    listen(
      claude,
      params,
      lines.map((json) => ({ json, events: [text("read")] }))
    )

  it.each([
    ["init", init(other)],
    ["answer", content(other)],
    ["delta", { type: "stream_event", session_id: other }],
    ["tool result", { type: "user", session_id: other }],
    ["result", result(other)]
  ])("are all looked at: a foreign %s", (_, foreign) => {
    const { read: known, changed } = read({ sessionId: request }, init(request), foreign, content(request))
    assert.deepStrictEqual(known, [true, false, false])
    assert.deepInclude(changed, { asked: request, got: other })
  })

  it.each([
    ["a hook before the session", { type: "system", subtype: "hook_started", session_id: other }],
    ["a sub-agent", content(other, { parent_tool_use_id: "toolu_1" })],
    ["a failure before the session, whose id is made up", result(other, true)],
    ["no id", { type: "assistant" }],
    ["an invalid id", { type: "assistant", session_id: 7 }]
  ])("say nothing of the session: %s", (_, line) => {
    const { read: known, changed } = read({ sessionId: request }, line, init(request))
    assert.deepStrictEqual([known, changed], [[true, true], undefined])
  })

  it("may go over to one other session where the caller had it cleared", () => {
    const lines = [
      init(request),
      { type: "conversation_reset", session_id: request },
      content(request),
      init(other),
      content(other)
    ]
    const cleared = read({ sessionId: request }, ...lines)
    assert.deepStrictEqual([cleared.read, cleared.changed], [[true, true, true, true, true], undefined])
    const { changed } = read({ sessionId: request }, ...lines, init(third))
    assert.deepInclude(changed, { asked: other, got: third })
  })
})
