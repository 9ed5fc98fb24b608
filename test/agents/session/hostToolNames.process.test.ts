/** The functions of the host may be called without a rule, by the name that the CLI gives them, and no other by a like one. */
import { describe, expect, it } from "vitest"
import { createAgent } from "../../../src/promise.ts"
import { FakeCli, LiveStep } from "../../../src/testing.ts"

const asks = (requestId: string, toolName: string) =>
  LiveStep.line({
    type: "control_request",
    request_id: requestId,
    request: { subtype: "can_use_tool", tool_name: toolName, input: { a: 1 }, tool_use_id: requestId }
  })

describe("a function of the host", () => {
  it("is allowed by its own name", async () => {
    const steps = [
      asks("1", "mcp__host__add"),
      asks("2", "mcp__host__other"),
      asks("3", "host_add"),
      LiveStep.text("x")
    ]
    await using fake = await FakeCli.install(FakeCli.live("claude", [steps]))
    await using agent = createAgent("claude", { command: fake.command })
    const add = { name: "add", description: "adds", inputSchema: {}, run: () => 1 }
    await using session = await agent.open({ tools: [add] })
    const decisions: Array<string> = []
    for await (const event of session.turn("go")) {
      if (event.type === "permission_decision") decisions.push(`${event.requestId} ${event.decision}`)
    }
    expect(decisions).toEqual(["1 allow", "2 deny", "3 deny"])
  })
})
