/**
 * `--plan-mode` → the permission mode, and how a plan is approved; pure. `on`: the agent plans and asks for approval.
 * `auto`: it plans, and the plan is approved without asking. `off`: it does not plan, whatever its own settings say.
 */
import { Option, Result } from "effect"
import * as Approvals from "../agents/Approvals.ts"
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
  /** Whether it asks for approval of a plan. */
  readonly plans: boolean
}

const invalid = (mode: PlanMode, problem: string) =>
  new InvalidParams({ option: "--plan-mode", problem: `${mode}: ${problem}` })

export const permissionModeOf = (
  { planMode, permissionMode }: PlanFlags,
  { label, plans }: Planner
): Result.Result<PermissionMode | undefined, InvalidParams> => {
  const explicit = Option.getOrUndefined(permissionMode)
  if (Option.isNone(planMode)) return Result.succeed(explicit)
  const mode = planMode.value
  const conflict = `contradicts --permission-mode ${explicit}; use only one of them`
  if (mode === "off")
    return explicit === "plan" ? Result.fail(invalid(mode, conflict)) : Result.succeed(explicit ?? "default")
  if (explicit !== undefined && explicit !== "plan") return Result.fail(invalid(mode, conflict))
  if (plans) return Result.succeed("plan")
  const remedy = "use --permission-mode plan to make it read-only"
  return Result.fail(invalid(mode, `${label} does not ask for approval of a plan; ${remedy}`))
}

/** A run is unattended: a plan in it could not be approved. */
export const runPlanProblem = ({ planMode }: PlanFlags): InvalidParams | undefined =>
  Option.contains(planMode, "auto")
    ? invalid("auto", "needs reins chat: a run cannot approve a plan. With --plan-mode on the run ends with its plan")
    : undefined

/** `options`: for a plan that a person decides on. */
export const planRule = (planMode: Option.Option<PlanMode>, options: Approvals.PlanOptions = {}) =>
  Approvals.plan(undefined, Option.contains(planMode, "auto") ? { auto: true } : options)
