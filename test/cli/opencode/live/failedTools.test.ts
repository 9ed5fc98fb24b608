/** A live turn of OpenCode without text: if its last tool failed, that error is the answer, as in a run. */
import { assert, describe, it } from "vitest"
import { genericFlavor } from "../../../../src/cli/acp/index.ts"
import type { AcpFlavor } from "../../../../src/cli/acp/live/flavor.ts"
import { isAction, type Output } from "../../../../src/cli/Live.ts"
import { opencodeFlavor } from "../../../../src/cli/opencode/live/flavor.ts"
import { kindsOf, textOf } from "../../../kit/events.ts"
import { printed, prompted, request, result, update } from "../../acp/live/talk.ts"

type Talk = ReturnType<typeof prompted>

const textPart = (text: string) => ({ content: [{ type: "content", content: { type: "text", text } }] })

const begun = (id: string, name = "read") =>
  update("s", { sessionUpdate: "tool_call", toolCallId: id, title: name, kind: "read", status: "pending" })
const over = (id: string, status: string, output: string, more: object = {}) =>
  update("s", { sessionUpdate: "tool_call_update", toolCallId: id, status, ...textPart(output), ...more })
const tool = (id: string, status: string, output: string, name = "read", more: object = {}) => [
  begun(id, name),
  over(id, status, output, more)
]
const says = (text: string) => update("s", { sessionUpdate: "agent_message_chunk", content: { type: "text", text } })
const thinks = (text: string) => update("s", { sessionUpdate: "agent_thought_chunk", content: { type: "text", text } })
const failed = (id: string) => tool(id, "failed", "File not found: /x\n")
const done = (id: string) => tool(id, "completed", "ok")

const eventsOf = (outputs: ReadonlyArray<Output>) => outputs.flatMap((output) => (isAction(output) ? [] : [output]))

const push = ({ dialogue }: Talk, lines: ReadonlyArray<object>) => lines.flatMap((line) => dialogue.push(line))

const end = (promptId: number, stopReason = "end_turn") => result(promptId, { stopReason })

const answer = "read failed: File not found: /x"
const refusal = "The user has specified a rule which prevents you from using this tool"

const table: ReadonlyArray<readonly [string, ReadonlyArray<object>, string]> = [
  ["only a failed tool", failed("1"), answer],
  ["a failed tool, and thoughts", [...failed("1"), thinks("Hm.")], answer],
  ["a failed tool, and then one that went well", [...failed("1"), ...done("2")], ""],
  ["one that went well, and then a failed tool", [...done("1"), ...failed("2")], answer],
  ["a failed tool, and words", [...failed("1"), says("Sorry.")], "Sorry."],
  ["words, and then a failed tool", [says("I look."), ...failed("1")], "I look."],
  ["a failed tool without text", tool("1", "failed", ""), "read failed"],
  [
    "a command that exits with 1",
    tool("1", "completed", "no", "bash", { rawOutput: { output: "no", metadata: { exit: 1 } } }),
    "bash failed: no"
  ],
  ["a tool that a rule denies", tool("1", "failed", refusal), ""],
  ["no tool at all", [], ""]
]

describe("a command of a live turn", () => {
  it.each([
    [{ exit: 0 }, false, 0],
    [{ exit: 3 }, true, 3],
    [{ exit: null }, true, undefined]
  ])("has its exit code: %j", (metadata, isError, exitCode) => {
    const talk = prompted({}, opencodeFlavor)
    const lines = tool("1", "completed", "x", "bash", { rawOutput: { output: "x", metadata } })
    const outcome = eventsOf(push(talk, lines)).find(({ type }) => type === "tool_result")
    assert.deepInclude(outcome, exitCode === undefined ? { isError } : { isError, exitCode })
    assert.strictEqual(outcome !== undefined && "exitCode" in outcome, exitCode !== undefined)
  })
})

describe("the answer of a live turn with", () => {
  it.each(table)("%s", (_, lines, expected) => {
    const talk = prompted({}, opencodeFlavor)
    const outputs = push(talk, [...lines, end(talk.promptId)])
    const events = eventsOf(outputs)
    assert.strictEqual(textOf(events), expected)
    assert.deepStrictEqual(kindsOf(events), expected.includes("failed") ? ["warning"] : [])
    assert.deepInclude(outputs.at(-1), { _tag: "TurnEnded" }, "it comes before the end")
  })

  it.each(["cancelled", "refusal", "max_turn_requests"])("a failed tool, and an end as %s: nothing", (stopReason) => {
    const talk = prompted({}, opencodeFlavor)
    assert.strictEqual(textOf(eventsOf(push(talk, [...failed("1"), end(talk.promptId, stopReason)]))), "")
  })

  it("a failed tool, interrupted or ended by an error: nothing", () => {
    const interrupted = prompted({}, opencodeFlavor)
    push(interrupted, failed("1"))
    interrupted.dialogue.interrupt()
    assert.strictEqual(textOf(eventsOf(push(interrupted, [end(interrupted.promptId)]))), "")
    const broken = prompted({}, opencodeFlavor)
    const error = { jsonrpc: "2.0", id: broken.promptId, error: { code: -32603, message: "down" } }
    assert.strictEqual(textOf(eventsOf(push(broken, [...failed("1"), error]))), "")
  })

  it("a tool that was denied: nothing, and of one that was allowed and failed, its error", () => {
    for (const decision of [{ decision: "deny", message: "no" }, { decision: "allow" }] as const) {
      const talk = prompted({}, opencodeFlavor)
      const options = [
        { optionId: "once", kind: "allow_once", name: "Allow once" },
        { optionId: "reject", kind: "reject_once", name: "Reject" }
      ]
      const running = { sessionUpdate: "tool_call_update", toolCallId: "1", status: "in_progress", rawInput: { a: 1 } }
      const requested = push(talk, [
        begun("1"),
        update("s", running),
        request(9, "session/request_permission", { sessionId: "s", toolCall: { toolCallId: "1" }, options })
      ])
      const ask = requested.find((output) => isAction(output) && output._tag === "Asked")
      const requestId = ask !== undefined && "ask" in ask ? ask.ask.requestId : assert.fail("no approval is requested")
      assert.lengthOf(printed(talk.dialogue.decide(requestId, decision)), 1)
      const events = eventsOf(push(talk, [over("1", "failed", "File not found: /x"), end(talk.promptId)]))
      assert.strictEqual(textOf(events), decision.decision === "deny" ? "" : answer)
    }
  })

  it("a failed tool does not affect the next turn", () => {
    const talk = prompted({}, opencodeFlavor)
    push(talk, [...failed("1"), end(talk.promptId)])
    const next = Number(printed(talk.dialogue.turn("again"))[0]?.id)
    assert.deepStrictEqual(eventsOf(push(talk, [end(next)])), [])
  })

  it("a failed tool with a long error is bounded", () => {
    const talk = prompted({}, opencodeFlavor)
    const lines = [...tool("1", "failed", "x".repeat(100_000)), end(talk.promptId)]
    assert.lengthOf(textOf(eventsOf(push(talk, lines))), 4_000)
  })

  it("a failed tool, of any other agent, is what it was", () => {
    const other: AcpFlavor = genericFlavor("x")
    const talk = prompted({}, other)
    assert.strictEqual(textOf(eventsOf(push(talk, [...failed("1"), end(talk.promptId)]))), "")
  })
})
