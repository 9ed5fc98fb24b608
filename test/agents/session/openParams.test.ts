/** Invalid params of a session are named before anything is started. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Approvals from "../../../src/agents/Approvals.ts"
import { openParamsOf } from "../../../src/api/promise/plainAgent.ts"
import { parseOpenParams } from "../../../src/contract/AgentOpenParams.ts"
import type { HostTool } from "../../../src/contract/HostTool.ts"

const tool: HostTool = { name: "add", description: "Adds.", inputSchema: { type: "object" }, run: () => 1 }

const optionOf = (input: unknown) => {
  const parsed = parseOpenParams(input)
  return Result.isFailure(parsed) ? parsed.failure.option : "none"
}

describe("params", () => {
  it.each<[string, unknown]>([
    ["none", {}],
    ["none", { approvals: [Approvals.allow({ tools: ["Read"], paths: ["src/**"], commands: [/^git /] })] }],
    ["none", { approvals: [Approvals.ask(), Approvals.plan(async () => ({ decision: "outline" }))] }],
    ["none", { questions: "off", tools: [tool], hooks: [{ event: "Stop", run: () => undefined }] }],
    ["prompt", { prompt: "hello" }],
    ["approvals.0", { approvals: ["allow"] }],
    ["approvals.0.match", { approvals: [{ _tag: "Allow" }] }],
    ["approvals.1.match.tools", { approvals: [Approvals.ask(), { _tag: "Deny", match: { tools: "Bash" } }] }],
    ["approvals.0.match.tool", { approvals: [{ _tag: "Allow", match: { tool: ["Bash"] } }] }],
    ["approvals.0.match.paths.0", { approvals: [Approvals.deny({ paths: ["~/.ssh/**"] })] }],
    ["approvals.0.handler", { approvals: [{ _tag: "Ask", handler: "yes", options: {} }] }],
    ["none", { approvals: [Approvals.ask(undefined, { deadline: "Infinity", otherwise: "allow", match: {} })] }],
    ["none", { approvals: [Approvals.plan(undefined, { auto: true, outlineLength: 0, cooldown: ["1 minute"] })] }],
    ["approvals.0.options.deadline", { approvals: [{ _tag: "Ask", options: { deadline: "soon" } }] }],
    ["approvals.0.options.otherwise", { approvals: [{ _tag: "Ask", options: { otherwise: "maybe" } }] }],
    ["approvals.0.options.deadlin", { approvals: [{ _tag: "Ask", options: { deadlin: "1 minute" } }] }],
    ["approvals.0.options.cooldown.0", { approvals: [{ _tag: "Plan", options: { cooldown: ["soon"] } }] }],
    ["approvals.0.options.outlineLength", { approvals: [{ _tag: "Plan", options: { outlineLength: "200" } }] }],
    ["questions", { questions: "on" }],
    ["tools", { tools: [tool, tool] }],
    ["tools.0", { tools: [{ ...tool, name: "a b" }] }],
    ["hooks.0", { hooks: [{ event: "Never", run: () => undefined }] }]
  ])("at fault: %s %#", (option, input) => expect(optionOf(input)).toBe(option))
})

describe("params of the plain door", () => {
  const onQuestion = () => undefined

  it("a function answers the questions, within the time that was given", () => {
    expect(openParamsOf({ onQuestion, questions: { deadline: "10 minutes" } })).toEqual({
      questions: { handler: onQuestion, deadline: "10 minutes" }
    })
    expect(openParamsOf({ onQuestion })).toEqual({ questions: { handler: onQuestion } })
    expect(openParamsOf({ questions: { deadline: "10 minutes" } })).toEqual({ questions: { deadline: "10 minutes" } })
  })
})
