/** `--plan-mode`: what it asks for, what it contradicts, and who approves the plan. */
import { Option, Result } from "effect"
import { describe, expect, it } from "vitest"
import type { PermissionMode } from "../../src/contract/AgentExecuteParams.ts"
import { type PlanMode, permissionModeOf, planRule } from "../../src/program/planMode.ts"
import { runProgram } from "./programProcess.ts"

const request = (planMode: PlanMode, permissionMode: PermissionMode | undefined, plans: boolean) =>
  permissionModeOf(
    { planMode: Option.some(planMode), permissionMode: Option.fromUndefinedOr(permissionMode) },
    { label: "codex", plans }
  )

describe("the mode of permissions", () => {
  it.each([
    ["on", undefined, true, "plan"],
    ["on", "plan", true, "plan"],
    ["auto", undefined, true, "plan"],
    ["off", undefined, true, "default"],
    ["off", undefined, false, "default"],
    ["off", "accept-edits", true, "accept-edits"]
  ] as const)("of %s with %s, by one that plans: %s", (planMode, input, plans, mode) => {
    expect(request(planMode, input, plans)).toEqual(Result.succeed(mode))
  })

  it.each([
    ["on", "bypass", true, "on: contradicts --permission-mode bypass; use only one of them"],
    ["auto", "accept-edits", true, "auto: contradicts --permission-mode accept-edits; use only one of them"],
    ["off", "plan", true, "off: contradicts --permission-mode plan; use only one of them"],
    [
      "on",
      undefined,
      false,
      "on: codex does not ask for approval of a plan; use --permission-mode plan to make it read-only"
    ],
    [
      "auto",
      undefined,
      false,
      "auto: codex does not ask for approval of a plan; use --permission-mode plan to make it read-only"
    ]
  ] as const)("of %s with %s, by one that plans: %s is refused", (planMode, input, plans, problem) => {
    expect(request(planMode, input, plans)).toMatchObject({ failure: { option: "--plan-mode", problem } })
  })
})

it("a plan is approved unasked only by auto", () => {
  const optionsOf = (planMode: PlanMode) => planRule(Option.some(planMode), { deadline: 1 })
  expect(optionsOf("auto")).toMatchObject({ _tag: "Plan", options: { auto: true } })
  expect(optionsOf("on")).toMatchObject({ _tag: "Plan", options: { deadline: 1 } })
  expect(optionsOf("on")).not.toHaveProperty("options.auto")
})

describe("the program", () => {
  it.each([
    ["a run without approvals", ["run", "--plan-mode", "auto", "--json", "x"], "needs reins chat"],
    [
      "an agent without plans",
      ["chat", "--agent", "codex", "--plan-mode", "on", "--json"],
      "codex does not ask for approval of a plan"
    ]
  ])("refuses %s, exit 2", async (_, args, reported) => {
    const { code, stdout, stderr } = await runProgram(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(reported)
  })
})
