/** Live sessions recorded with the real Pi: its lines, in their order, as answers to the commands of the dialogue. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { isAction, type Output } from "../../../../src/cli/Live.ts"
import { recordingUrl } from "../../../kit/recordings.ts"
import { ends, type Json, makeTalk, type Talk, tags, textOf } from "./talk.ts"

const linesOf = (scenario: string): ReadonlyArray<Json> =>
  readFileSync(recordingUrl("pi", `live/${scenario}/stdout.ndjson`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** The host acts at the next output that fits. */
interface Moment {
  readonly at: (output: Output) => boolean
  readonly act: (talk: Talk) => ReadonlyArray<Output>
}

const when = (tag: string, act: Moment["act"]): Moment => ({
  at: (output) => (isAction(output) ? output._tag : output.type) === tag,
  act
})
const turn = (tag: string, text: string) => when(tag, (talk) => talk.turn(text))

/** The recorded host used `steer` where the dialogue writes a prompt, and looked around by commands of its own. */
const answers: Readonly<Record<string, "prompt" | "abort">> = { prompt: "prompt", steer: "prompt", abort: "abort" }

/** Its state is the recorded one; it is asked more often than the recorded host did. */
const play = (scenario: string, moments: ReadonlyArray<Moment>) => {
  const lines = linesOf(scenario)
  const state = lines.find(({ command }) => command === "get_state")?.data ?? {}
  const talk = makeTalk()
  const outputs: Array<Output> = []
  let next = 0
  let isWorking = false
  const perform = (input: ReadonlyArray<Output>) => {
    for (const output of input) {
      outputs.push(output)
      const moment = moments[next]
      if (moment === undefined || !moment.at(output)) continue
      next += 1
      perform(moment.act(talk))
    }
  }
  const settle = () => {
    while (talk.open().includes("get_state")) perform(talk.tellOnce({ ...state, isStreaming: isWorking }))
  }
  perform(talk.start())
  settle()
  for (const line of lines) {
    const command = line.type === "response" && line.success === true ? answers[line.command] : undefined
    // An accepted prompt has started the agent before its first line.
    if (command === "prompt") isWorking = true
    if (line.type === "agent_end") isWorking = false
    if (command !== undefined) perform(talk.reply(command))
    else if (line.type !== "response") perform(talk.hear(line))
    settle()
  }
  assert.strictEqual(next, moments.length, "a moment did not come")
  assert.deepStrictEqual(talk.open(), [])
  assert.strictEqual(talk.dialogue.standing(), "resting")
  assert.notInclude(tags(outputs), "unknown")
  return { talk, outputs }
}

const commandsOf = ({ written }: Talk) =>
  written.filter(({ type }) => type !== "get_state").map(({ type, message }) => message ?? type)

const once = { inputTokens: 100, outputTokens: 42, cacheReadTokens: 3000, cacheWriteTokens: 20 }

describe("a recorded session of Pi", () => {
  it("two-turns: each has its own text and usage", () => {
    const { talk, outputs } = play("two-turns", [turn("Opened", "hi"), turn("TurnEnded", "again")])
    assert.deepInclude(outputs[0], { type: "session", model: "anthropic/claude-sonnet-4-5" })
    assert.deepStrictEqual(commandsOf(talk), ["hi", "again"])
    assert.deepStrictEqual(
      ends(outputs).map(({ verdict }) => verdict),
      [{ _tag: "Success" }, { _tag: "Success" }]
    )
    for (const { report } of ends(outputs)) {
      assert.deepStrictEqual(report.usage, once)
      assert.closeTo(report.totalCostUsd ?? 0, 0.001905, 1e-9)
    }
    assert.strictEqual(textOf(outputs), "Hello.second")
  })

  it("abort: the turn is interrupted, and the next one completes", () => {
    const stop = when("text", (talk) => talk.interrupt())
    const { talk, outputs } = play("abort", [turn("Opened", "hi"), stop, turn("TurnEnded", "more")])
    assert.deepStrictEqual(commandsOf(talk), ["hi", "abort", "more"])
    const [first, second] = ends(outputs)
    assert.deepInclude(first, { isInterrupted: true })
    assert.deepStrictEqual([first?.verdict._tag, second?.verdict._tag], ["Failure", "Success"])
    assert.notProperty(second, "isInterrupted")
    assert.strictEqual(textOf(outputs), "abafter")
  })

  it("steer: the text is part of the turn, whose usage is that of both messages", () => {
    const steer = when("tool_use", (talk) => talk.steer("do that instead"))
    const { talk, outputs } = play("steer", [turn("Opened", "hi"), steer])
    assert.deepStrictEqual(commandsOf(talk), ["hi", "do that instead"])
    const [end, ...others] = ends(outputs)
    assert.deepStrictEqual([end?.verdict, others], [{ _tag: "Success" }, []])
    assert.deepInclude(end?.report, { numTurns: 2 })
    assert.deepStrictEqual(end?.report.usage?.outputTokens, 84)
    assert.deepStrictEqual(
      outputs.filter((output) => "toolId" in output).map((output) => ("type" in output ? output.type : "")),
      ["tool_use", "tool_result"]
    )
    assert.strictEqual(textOf(outputs), "steered")
  })

  it("bad: answers to no command of ours are kept, and end nothing", () => {
    const talk = makeTalk()
    talk.start()
    talk.tell()
    const lines = linesOf("bad")
    const outputs = lines.flatMap((line) => talk.hear(line))
    const isAnswer = ({ type }: Json) => type === "response"
    assert.deepStrictEqual(
      outputs,
      lines.filter(isAnswer).map((raw) => ({ type: "unknown", raw }))
    )
    assert.isAbove(outputs.length, 3)
    assert.strictEqual(talk.dialogue.standing(), "resting")
  })
})
