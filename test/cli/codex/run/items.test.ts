/** Tool items from their beginning to their end, and those that never end. */
import { assert, describe, it } from "vitest"
import { command, completed, decode, ended, failed, started, updated } from "../wireLines.ts"

describe("tools", () => {
  it("that only complete come whole", () => {
    const { events } = decode([ended(command("c", { aggregated_output: "hi\n", exit_code: 0, status: "completed" }))])
    assert.deepStrictEqual(
      events.map(({ type }) => type),
      ["tool_use", "tool_result"]
    )
  })

  it("are started once, whatever is printed while they run", () => {
    const lines = [started(command("c")), updated(command("c")), started(command("c")), ended(command("c"))]
    assert.deepStrictEqual(
      decode(lines).events.map(({ type }) => type),
      ["tool_use", "tool_result"]
    )
  })

  it("in parallel keep their own ids and outcomes", () => {
    const { events } = decode([
      started(command("a")),
      started(command("b")),
      ended(command("b", { exit_code: 3, status: "failed", aggregated_output: "b" })),
      ended(command("a", { exit_code: 0, status: "completed", aggregated_output: "a" }))
    ])
    const results = events.filter((event) => event.type === "tool_result")
    assert.deepStrictEqual(
      results.map(({ toolId, output, isError }) => [toolId, output, isError]),
      [
        ["b", "b", true],
        ["a", "a", false]
      ]
    )
  })

  it("that the turn has abandoned did not finish, and have no exit code", () => {
    const lines = [started(command("c")), ended(command("c", { status: "completed" })), completed()]
    assert.deepStrictEqual(decode(lines).events[1], {
      type: "tool_result",
      toolId: "c",
      output: "did not finish",
      isError: true,
      raw: { exitCode: null }
    })
  })

  it.each([0, 1, -1])("that finish have their exit code: %s", (exit_code) => {
    const status = exit_code === 0 ? "completed" : "failed"
    const [, outcome] = decode([started(command("c")), ended(command("c", { exit_code, status }))]).events
    assert.deepInclude(outcome, { type: "tool_result", isError: exit_code !== 0, exitCode: exit_code })
  })

  it.each([
    ["the turn completes", completed()],
    ["the turn fails", failed("x")]
  ])("left open are closed when %s, in their order", (_, end) => {
    const { events } = decode([
      started(command("a")),
      started(command("b")),
      started(command("c")),
      ended(command("b")),
      end
    ])
    assert.deepStrictEqual(
      events.filter((event) => event.type === "tool_result").map(({ toolId, isError }) => [toolId, isError]),
      [
        ["b", false],
        ["a", true],
        ["c", true]
      ]
    )
  })

  it("a declined one is a denied permission", () => {
    const { events, decoder } = decode([started(command("c")), ended(command("c", { status: "declined" }))])
    assert.deepStrictEqual(events.slice(1), [
      {
        type: "notice",
        kind: "permission_denied",
        message: "Declined: echo hi",
        data: { toolName: "command_execution", toolId: "c" }
      },
      { type: "tool_result", toolId: "c", output: "", isError: true, raw: { exitCode: null } }
    ])
    assert.deepStrictEqual(decoder.report().permissionDenials, [{ toolName: "command_execution", toolId: "c" }])
  })

  it("of sub-agents name the tool and give its answer", () => {
    const wait = { id: "w", type: "collab_tool_call", tool: "wait", prompt: null, receiver_thread_ids: ["t"] }
    const done = {
      ...wait,
      agents_states: { t: { status: "completed", message: "child result" } },
      status: "completed"
    }
    const spawn = { id: "s", type: "collab_tool_call", tool: "spawn_agent", prompt: "look\nhere", status: "failed" }
    assert.deepStrictEqual(decode([started(wait), ended(done), ended(spawn)]).events, [
      {
        type: "tool_use",
        toolId: "w",
        toolName: "wait",
        input: { threads: ["t"] },
        kind: "subagent",
        title: "wait"
      },
      { type: "tool_result", toolId: "w", output: "t: completed, child result", isError: false },
      {
        type: "tool_use",
        toolId: "s",
        toolName: "spawn_agent",
        input: { prompt: "look\nhere", threads: [] },
        kind: "subagent",
        title: "look"
      },
      { type: "tool_result", toolId: "s", output: "", isError: true }
    ])
  })

  it("a plan is over at once in each of its states, and comes only when it changes", () => {
    const list = (completed: boolean) => ({ id: "t", type: "todo_list", items: [{ text: "a", completed }] })
    const { events } = decode([started(list(false)), updated(list(false)), updated(list(true)), ended(list(true))])
    assert.deepStrictEqual(
      events.map((event) => ("toolId" in event ? [event.type, event.toolId] : [])),
      [
        ["tool_use", "t"],
        ["plan", "t"],
        ["tool_result", "t"],
        ["tool_use", "t.1"],
        ["plan", "t.1"],
        ["tool_result", "t.1"]
      ]
    )
  })
})
