/**
 * `--plan-mode` → the mode of permissions, and who approves a plan; pure. `on`: the agent plans, and is asked about its
 * plan. `auto`: it plans, and the plan is approved without asking. `off`: it does not plan, whatever its own settings say.
 */
import { Option, Result } from "effect"
import * as Approvals from "../Approvals.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import type { PermissionMode } from "../contract/AgentExecuteParams.ts"

export const planModes = ["off", "auto", "on"] as const
export type PlanMode = (typeof planModes)[number]

export interface PlanFlags {
  readonly planMode: Option.Option<PlanMode>
  readonly permissionMode: Option.Option<PermissionMode>
}

export interface Planner {
  /** For people. */
  readonly label: string
  /** Whether it asks to carry out a plan. */
  readonly plans: boolean
}

const invalid = (mode: PlanMode, problem: string) =>
  new InvalidParams({ option: "--plan-mode", problem: `${mode}: ${problem}` })

export const permissionModeOf = (
  { planMode, permissionMode }: PlanFlags,
  { label, plans }: Planner
): Result.Result<PermissionMode | undefined, InvalidParams> => {
  const given = Option.getOrUndefined(permissionMode)
  if (Option.isNone(planMode)) return Result.succeed(given)
  const mode = planMode.value
  const conflict = `--permission-mode ${given} says something else; give one of them`
  if (mode === "off")
    return given === "plan" ? Result.fail(invalid(mode, conflict)) : Result.succeed(given ?? "default")
  if (given !== undefined && given !== "plan") return Result.fail(invalid(mode, conflict))
  if (plans) return Result.succeed("plan")
  const cure = "--permission-mode plan makes it read only"
  return Result.fail(invalid(mode, `${label} has no plan mode that ends with a plan to approve; ${cure}`))
}

/** A run asks nobody, so that nothing in it could be approved. */
export const runPlanProblem = ({ planMode }: PlanFlags): InvalidParams | undefined =>
  Option.contains(planMode, "auto")
    ? invalid("auto", "a run asks nobody; reins chat does. --plan-mode on: the run ends with its plan")
    : undefined

/** `options`: where a person is asked. */
export const planRule = (planMode: Option.Option<PlanMode>, options: Approvals.PlanOptions = {}) =>
  Approvals.plan(undefined, Option.contains(planMode, "auto") ? { auto: true } : options)
