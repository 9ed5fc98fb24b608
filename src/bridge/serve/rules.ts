/** What an agent in a chat may do without a person, and what it asks. */
import * as Approvals from "../../agents/Approvals.ts"
import type { ApprovalRule } from "../../contract/Rule.ts"
import type { ChatSettings } from "../ChatSettings.ts"
import { answerDeadlineMs } from "./requests.ts"

const asked = { deadline: answerDeadlineMs } as const

/** Reading needs nobody; for all else people are asked. */
export const usualRules: ReadonlyArray<ApprovalRule> = [
  Approvals.allow({ kinds: ["read", "search"] }),
  Approvals.ask(undefined, asked)
]

/** Behind the rules of a plan, where the chat wants one first. */
export const rulesOf = (
  given: ReadonlyArray<ApprovalRule> | undefined,
  { planMode = "off" }: ChatSettings
): ReadonlyArray<ApprovalRule> => {
  const rules = given ?? usualRules
  if (planMode === "off") return rules
  return [Approvals.plan(undefined, planMode === "auto" ? { auto: true } : asked), ...rules]
}
