/** To be replaced. */
import type { ApprovalRule, PermissionHandler, PlanAnswer, PlanHandler } from "../Approvals.ts"
import type { Decision } from "../cli/Live.ts"
import type { PermissionRequestEvent } from "../SessionEvent.ts"

export type Ruling =
  | { readonly _tag: "Decided"; readonly decision: Decision; readonly by: "rule" | "memory" }
  | {
      readonly _tag: "Ask"
      readonly handler?: PermissionHandler | PlanHandler
      readonly deadlineMs: number
      readonly otherwise: Decision
    }

export interface Approver {
  readonly consider: (request: PermissionRequestEvent) => Ruling
  readonly conclude: (request: PermissionRequestEvent, answer: PlanAnswer) => Decision
  readonly reset: () => void
}
export declare const makeApprover: (
  rules: ReadonlyArray<ApprovalRule>,
  context: { readonly workingDirectory: string; readonly now: () => number; readonly textLength: () => number }
) => Approver
