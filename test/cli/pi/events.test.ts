/** Lines of Pi whose meaning is not in their type: pieces and whole messages, attempts that failed, the end of a run. */
import { assert, describe, it } from "vitest"
import type { Standing } from "../../../src/cli/Decoder.ts"
import { pi } from "../../../src/cli/pi/index.ts"
import type { ProcessExit } from "../../../src/contract/AgentRunResult.ts"
import type { ErrorCategory } from "../../../src/contract/ErrorCategory.ts"
import { translate } from "../../kit/translate.ts"
import { print, runTranscript } from "../transcript.ts"
import {
  agentEnd,
  agentStart,
  delta,
  failed,
  type Json,
  messageEnd,
  messageStart,
  oldDelta,
  retryStart,
  session,
  text,
  toolEnd,
  toolStart
} from "./wireLines.ts"

const play = (lines: ReadonlyArray<Json | string>, exit: ProcessExit = { code: 0 }, stderr = "") =>
  runTranscript(pi, { chunks: print(lines), exit, stderr })

const thinking = (words: string): Json => ({ type: "thinking", thinking: words })
const answer = (words: string, ...others: ReadonlyArray<Json>) => [
  messageStart(),
  delta("text", 0, words),
  messageEnd({ content: [text(words)], ...Object.assign({}, ...others) })
]
const begun = [session, agentStart]
const answered = [...begun, ...answer("hi"), agentEnd]
const broken = [messageStart(), delta("text", 0, "half an"), failed("terminated", { content: [text("half an")] })]

const textsOf = (lines: ReadonlyArray<Json>) =>
  play(lines).events.flatMap((event) => (event.type === "text" || event.type === "thinking" ? [event.text] : []))

describe("text", () => {
  it("is that of the pieces, though the messages beside them are ahead", () => {
    const content = [text("Hello there.")]
    const pieces = ["Hel", "lo ", "there."].map((words) => oldDelta("text", 0, words, { content }))
    assert.deepStrictEqual(textsOf([...begun, messageStart({ content }), ...pieces, messageEnd({ content })]), [
      "Hel",
      "lo ",
      "there."
    ])
  })

  it.each<readonly [string, ReadonlyArray<Json>, ReadonlyArray<string>]>([
    ["without pieces", [], ["thought", "a", "b"]],
    ["whose last piece is missing", [delta("thinking", 0, "thought"), delta("text", 1, "a")], ["thought", "a", "b"]],
    ["whose block was cut", [delta("thinking", 0, "thou")], ["thou", "ght", "a", "b"]]
  ])("of a message %s comes from its end", (_, pieces, expected) => {
    const content = [thinking("thought"), text("a"), { type: "toolCall", id: "c" }, text("b")]
    assert.deepStrictEqual(textsOf([...begun, messageStart(), ...pieces, messageEnd({ content })]), expected)
  })

  it("in very many blocks is read as fast as in one", { timeout: 20_000 }, () => {
    const pieces = Array.from({ length: 50_000 }, (_, index) => delta("text", index, "a"))
    assert.strictEqual(
      textsOf([...begun, messageStart(), ...pieces, messageEnd(), agentEnd]).join(""),
      "a".repeat(50_000)
    )
  })

  it("of two messages is separated by an empty line, also with nothing between them", () => {
    assert.strictEqual(play([...begun, ...answer("one\n"), ...answer("two"), agentEnd]).result.text, "one\n\ntwo")
  })

  it("of the user and of tools is not that of the model", () => {
    const user = { role: "user", content: [text("hello")] }
    const tool = { role: "toolResult", toolCallId: "c", content: [text("output")] }
    const lines = [user, tool].flatMap((message) => [
      { type: "message_start", message },
      { type: "message_end", message }
    ])
    assert.deepStrictEqual(
      play([...begun, ...lines]).events.map(({ type }) => type),
      ["session"]
    )
  })

  it("of a failed attempt is withdrawn when the next one begins, with the thoughts left as they are", () => {
    const lines = [...begun, ...broken, agentEnd, retryStart("terminated"), agentStart, ...answer("whole"), agentEnd]
    const { events, result } = play(lines)
    assert.strictEqual(result.text, "whole")
    const voided = events.find((event) => event.type === "notice" && event.kind === "text_voided")
    assert.deepInclude(voided, { data: { characters: 7 } })
  })

  it("of a failed attempt behind another message is withdrawn alone, with its empty line", () => {
    const tool = [toolStart("c", "bash"), toolEnd("c", "bash", "o")]
    const lines = [...begun, ...answer("one", { stopReason: "toolUse" }), ...tool, ...broken, agentEnd]
    const { events, result } = play([...lines, retryStart("terminated"), agentStart, ...answer("two"), agentEnd])
    assert.strictEqual(result.text, "one\n\ntwo")
    const visible = events.reduce((all, event) => {
      if (event.type === "text") return all + event.text
      const isVoid = event.type === "notice" && event.kind === "text_voided"
      return isVoid ? all.slice(0, all.length - Number(event.data?.characters)) : all
    }, "")
    assert.strictEqual(visible, result.text)
  })

  it("of the last failed attempt remains, since nothing comes in its place", () => {
    const { result } = play([...begun, ...broken, agentEnd])
    assert.deepInclude(result, { outcome: "failed", text: "half an" })
  })
})

describe("the verdict", () => {
  const length = [...begun, ...answer("cut", { stopReason: "length" }), agentEnd]
  const retried = [...begun, ...broken, agentEnd, retryStart("terminated")]
  const compaction = { type: "compaction_start", reason: "overflow" }
  const called = [...begun, ...answer("", { stopReason: "toolUse" }), toolStart("c", "bash")]
  const table: ReadonlyArray<readonly [string, ReadonlyArray<Json>, ProcessExit, string]> = [
    ["a whole answer and exit 0", answered, { code: 0 }, "completed"],
    ["one that its length has cut off", length, { code: 0 }, "completed"],
    ["a whole answer, but another exit", answered, { code: 1 }, "exited"],
    ["a whole answer, then a signal", answered, { signal: "SIGKILL" }, "killed"],
    ["an error and exit 0", [...begun, failed("no"), agentEnd], { code: 0 }, "agent_failed"],
    ["an error, then a signal", [...begun, failed("no"), agentEnd], { signal: "SIGKILL" }, "agent_failed"],
    ["an error that was recovered from", [...retried, agentStart, ...answer("x"), agentEnd], { code: 0 }, "completed"],
    ["an error that was about to be repeated", retried, { code: 0 }, "agent_failed"],
    ["an attempt that never ended", [...retried, agentStart, messageStart()], { code: 0 }, "no_result"],
    ["an answer that was aborted", [...begun, ...answer("x", { stopReason: "aborted" })], { code: 0 }, "no_result"],
    ["a summary without an end", [...begun, failed("prompt is too long"), compaction], { code: 0 }, "agent_failed"],
    ["tools that never ended", called, { code: 0 }, "no_result"],
    ["a tool that ends the turn", [...called, toolEnd("c", "bash", "o"), agentEnd], { code: 0 }, "completed"],
    ["nothing", [], { code: 0 }, "no_result"]
  ]
  it.each(table)("%s", (_, lines, exit, reason) => {
    assert.strictEqual(play(lines, exit).result.reason, reason)
  })

  it.each<readonly [string, ReadonlyArray<Json>, Standing]>([
    ["an answer that stands whole", answered, "resting"],
    ["one that its length has cut off", length, "resting"],
    ["an answer that goes on", [...begun, messageStart(), delta("text", 0, "hi")], "working"],
    ["an answer before the end of the agent", [...begun, ...answer("hi")], "working"],
    ["an error, which may be repeated", [...begun, failed("no"), agentEnd], "working"],
    ["an error that is repeated", retried, "working"],
    ["an agent that began again", [...answered, agentStart], "working"],
    ["a summary after a whole answer", [...answered, compaction], "working"],
    ["the end of that summary", [...answered, compaction, { type: "compaction_end" }], "resting"],
    [
      "one that is followed by a repetition",
      [...answered, compaction, { type: "compaction_end", willRetry: true }],
      "working"
    ],
    ["nothing", [], "working"]
  ])("is never certain before the exit; a silence confirms it after %s, or not", (_, lines, standing) => {
    const decoder = pi.decoder({ prompt: "hello" })
    for (const line of lines) translate(decoder, line)
    assert.strictEqual(decoder.standing(), standing)
    assert.isUndefined(play(lines).certainAfter)
  })
})

describe("exit code 1, with its reason on stderr", () => {
  it.each<readonly [string, ErrorCategory]>([
    ["No API key found for anthropic.\n\nUse /login to log into a provider", "auth"],
    ["No session found matching '00000000-0000-0000-0000-000000000000'\n", "session_not_found"],
    ["Error: Unknown option: --new\n", "invalid_request"]
  ])("%j", (stderr, category) => {
    const { all } = play([], { code: 1 }, stderr)
    assert.deepInclude(all.at(-2), { type: "error", code: "exit_code", category })
  })
})

describe("notices", () => {
  it.each<readonly [Json, string | undefined]>([
    [
      retryStart('529 {"error":{"type":"overloaded_error","message":"Overloaded"}}'),
      "The model is asked again in 2 s: Overloaded"
    ],
    [{ type: "auto_retry_start" }, "The model is asked again: The model failed without a reason"],
    [{ type: "compaction_end", errorMessage: "Compaction failed: no model" }, "Compaction failed: no model"],
    [{ type: "compaction_end" }, undefined],
    [{ type: "extension_error", extensionPath: "a.ts", error: "no" }, "The extension a.ts failed: no"],
    [{ type: "queue_update", steering: [], followUp: [] }, undefined],
    [{ type: "thinking_level_changed", level: "low" }, undefined]
  ])("%j", (line, message) => {
    const [event] = play([line]).events
    if (message === undefined) assert.isUndefined(event)
    else assert.deepInclude(event, { type: "notice", message })
  })
})
