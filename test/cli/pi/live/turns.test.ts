/** Turns of Pi in orders that no recording has: `agent_end` alone ends none. */
import { assert, describe, it } from "vitest"
import type { Output } from "../../../../src/cli/Live.ts"
import {
  aborted,
  agentEnd,
  agentSettled,
  agentStart,
  assertRests,
  begun,
  compactionEnd,
  compactionStart,
  endOf,
  ends,
  failed,
  makeTalk,
  message,
  opened,
  retryEnd,
  retryStart,
  sessionId,
  type Talk,
  tags,
  textOf
} from "./talk.ts"

describe("a session", () => {
  it("is open when Pi tells its state: id and model", () => {
    const talk = makeTalk()
    talk.start()
    assert.strictEqual(talk.dialogue.standing(), "opening")
    assert.deepStrictEqual(talk.tell(), [{ type: "session", sessionId, model: "fake/m1" }, { _tag: "Opened" }])
    assert.strictEqual(talk.dialogue.standing(), "resting")
  })

  it.each([
    ["refused", { success: false, error: "no" }, /no/],
    ["without an id", { data: {} }, /does not tell its state/]
  ])("cannot be opened if its state is %s", (_, answer, words) => {
    const talk = makeTalk()
    talk.start()
    const [failure] = talk.reply("get_state", answer)
    assert.deepInclude(failure, { _tag: "Failed" })
    assert.match(JSON.stringify(failure), words)
  })

  it("tells that an extension has opened another one", () => {
    const talk = begun()
    talk.hear(...message("hi"), agentEnd)
    assert.deepInclude(talk.tell({ sessionId: "another" })[0], { type: "session", sessionId: "another" })
  })
})

describe("a turn", () => {
  it("is over when all has settled, if Pi was still at work when its agent ended", () => {
    const talk = begun()
    talk.hear(...message("hi"), agentEnd)
    assert.deepStrictEqual(ends(talk.tell({ isStreaming: true })), [])
    assert.deepStrictEqual(talk.open(), [])
    talk.hear(agentSettled)
    assert.deepInclude(endOf(talk.tell()), { verdict: { _tag: "Success" } })
    assertRests(talk)
  })

  it("has the text and the usage of itself alone, and two follow each other", () => {
    const talk = opened()
    for (const text of ["one", "two"]) {
      assert.deepStrictEqual(talk.turn(text), [])
      assert.strictEqual(talk.dialogue.standing(), "working")
      talk.reply("prompt")
      talk.tell({ isStreaming: true })
      const outputs = [...talk.hear(agentStart, ...message(text), agentEnd)]
      assert.deepStrictEqual([textOf(outputs), ends(outputs)], [text, []])
      const end = endOf(talk.tell())
      assert.deepStrictEqual(end.verdict, { _tag: "Success" })
      assert.deepInclude(end.report, { totalCostUsd: 0.5, numTurns: 1 })
      assert.deepInclude(end.report.usage, { outputTokens: 42 })
      assert.strictEqual(talk.dialogue.standing(), "resting")
    }
    const prompts = talk.lines.filter(({ type }) => type === "prompt")
    assert.deepStrictEqual(
      prompts.map(({ message, streamingBehavior }) => [message, streamingBehavior]),
      [
        ["one", "followUp"],
        ["two", "followUp"]
      ]
    )
  })

  it("counts all messages of its model, as well as the failed ones", () => {
    const talk = begun()
    talk.hear(
      ...failed("half", "429"),
      agentEnd,
      retryStart,
      agentStart,
      ...message("a", "toolUse"),
      ...message("b"),
      agentEnd
    )
    const { report } = endOf(talk.tell())
    assert.deepInclude(report, { totalCostUsd: 1.5, numTurns: 3 })
  })

  it("is not over while Pi works, whatever its answer says of another moment", () => {
    const talk = begun()
    talk.hear(...message("a"), agentEnd)
    talk.hear(agentStart)
    assert.deepStrictEqual(ends(talk.tell()), [])
    talk.hear(...message("b"), agentEnd)
    assert.deepStrictEqual(ends(talk.tell({ isStreaming: true })), [])
    talk.hear(agentStart, ...message("c"), agentEnd)
    endOf(talk.tell())
    assertRests(talk)
  })

  it("of a command that needs no agent is over when Pi has taken it", () => {
    const talk = opened({ slashCommands: true })
    talk.turn("/mine")
    assert.strictEqual(talk.lines.at(-1).message, "/mine")
    talk.reply("prompt")
    assert.deepStrictEqual(endOf(talk.tell()).verdict, { _tag: "Success" })
    assertRests(talk)
  })

  it("is text unless commands are wanted", () => {
    const talk = opened()
    talk.turn("/mine")
    assert.match(talk.lines.at(-1).message, /^[^/]\/mine$/)
  })

  it.each(["", " \n"])("with a prompt of blanks ends at once: %j", (text) => {
    const talk = opened()
    assert.strictEqual(endOf(talk.turn(text)).verdict._tag, "Failure")
    assertRests(talk)
  })

  it("that is refused has failed, with Pi's reason", () => {
    const talk = opened()
    talk.turn()
    const end = endOf(talk.reply("prompt", { success: false, error: "No API key found for fake." }))
    assert.deepInclude(end.verdict.reason, { _tag: "AgentFailed", code: "prompt_refused" })
    assert.include(end.verdict.reason.detail, "No API key")
    assertRests(talk)
  })

  it("without an answer of the model has failed", () => {
    const talk = begun()
    talk.hear(agentEnd)
    assert.deepInclude(endOf(talk.tell()).verdict.reason, { code: "no_answer" })
  })

  it("that an extension began by itself has an end, and the next one its own", () => {
    const talk = opened()
    talk.hear(agentStart)
    assert.strictEqual(talk.dialogue.standing(), "working")
    talk.hear(...message("by itself"), agentEnd)
    endOf(talk.tell())
    assertRests(talk)
  })
})

describe("an attempt that failed", () => {
  const attempt = (talk: Talk) => [...talk.hear(...failed("half", "429 overloaded"), agentEnd, retryStart)]

  it("does not end the turn, and its text is withdrawn", () => {
    const talk = begun()
    const outputs: Array<Output> = [...attempt(talk), ...talk.tell()]
    assert.deepStrictEqual(ends(outputs), [])
    assert.strictEqual(talk.dialogue.standing(), "working")
    outputs.push(...talk.hear(agentStart, ...message("whole"), retryEnd(true), agentEnd))
    outputs.push(...talk.tell())
    assert.strictEqual(textOf(outputs), "whole")
    assert.deepStrictEqual(endOf(outputs).verdict, { _tag: "Success" })
    assertRests(talk)
  })

  it("is the end if it is not repeated, or if Pi gives up", () => {
    for (const lines of [[], [retryEnd(false)]]) {
      const talk = begun()
      talk.hear(...failed("half", "500 broken"), agentEnd, ...lines)
      const end = endOf(talk.tell())
      assert.deepInclude(end.verdict.reason, { _tag: "AgentFailed" })
      assert.isUndefined(end.isInterrupted)
      assertRests(talk)
    }
  })

  it("whose repetition is cancelled by an abort ends the turn as interrupted", () => {
    const talk = begun()
    attempt(talk)
    talk.tell()
    talk.interrupt()
    assert.deepStrictEqual(talk.open(), ["abort"])
    assert.deepStrictEqual(ends(talk.hear(retryEnd(false))), [])
    talk.reply("abort")
    const end = endOf(talk.tell())
    assert.deepInclude(end, { isInterrupted: true })
    assert.strictEqual(end.verdict.reason._tag, "Aborted")
    assertRests(talk)
  })
})

describe("a compaction", () => {
  it("that repeats the prompt does not end the turn", () => {
    const talk = begun()
    talk.hear(...failed("", "prompt is too long"), agentEnd, compactionStart)
    assert.deepStrictEqual(ends(talk.tell({ isCompacting: true })), [])
    talk.hear(compactionEnd(true))
    assert.deepStrictEqual(talk.open(), [])
    talk.hear(agentStart, ...message("short"), agentEnd)
    assert.deepStrictEqual(endOf(talk.tell()).verdict, { _tag: "Success" })
    assertRests(talk)
  })

  it("that repeats nothing holds the end of the turn until it is over", () => {
    const talk = begun()
    talk.hear(...message("whole"), agentEnd, compactionStart)
    assert.deepStrictEqual(ends(talk.tell({ isCompacting: true })), [])
    assert.deepStrictEqual(talk.open(), [])
    talk.hear(compactionEnd(false))
    assert.deepStrictEqual(endOf(talk.tell()).verdict, { _tag: "Success" })
    assertRests(talk)
  })

  it("is told as a notice, and so is what went wrong with it", () => {
    const talk = begun()
    const outputs = talk.hear(compactionStart, { ...compactionEnd(false), errorMessage: "it failed" })
    assert.deepStrictEqual(
      outputs.map((output) => "kind" in output && output.kind),
      ["info", "warning"]
    )
  })

  it("is waited for by an interrupt, which Pi does not hear meanwhile", () => {
    const talk = begun()
    talk.hear(...failed("", "prompt is too long"), agentEnd, compactionStart)
    talk.tell({ isCompacting: true })
    talk.interrupt()
    assert.deepStrictEqual(ends(talk.reply("abort")), [])
    talk.hear(compactionEnd(true), agentStart)
    assert.deepStrictEqual(talk.open(), ["abort"])
    talk.hear(...aborted(), agentEnd)
    talk.reply("abort")
    assert.deepInclude(endOf(talk.tell()), { isInterrupted: true })
    assertRests(talk)
  })
})

describe("a change", () => {
  it.each([
    ["of the model", { _tag: "Model", model: "x" }, /default of all its sessions/],
    ["of the mode", { _tag: "PermissionMode", permissionMode: "plan" }, /no modes/]
  ] as const)("%s is refused with the reason, and nothing is written", (_, change, words) => {
    const talk = opened()
    const before = talk.lines.length
    const [changed] = talk.dialogue.change("c1", change)
    assert.deepInclude(changed, { _tag: "Changed", changeId: "c1" })
    assert.match(JSON.stringify(changed), words)
    assert.lengthOf(talk.lines, before)
  })
})

describe("a line", () => {
  it("that answers no command is kept as unknown, and ends nothing", () => {
    const talk = begun()
    const lines = [
      { type: "response", command: "parse", success: false, error: "Failed to parse command: …" },
      { type: "response", id: "prompt-99", command: "prompt", success: false },
      { type: "response" },
      { type: "extension_ui_request" },
      { type: "of_tomorrow" },
      null
    ]
    assert.deepStrictEqual(
      talk.hear(...lines),
      lines.map((raw) => ({ type: "unknown", raw }))
    )
    assert.strictEqual(talk.dialogue.standing(), "working")
    assert.deepStrictEqual(tags(talk.hear({ type: "queue_update" }, { type: "thinking_level_changed" })), [])
  })
})
