/**
 * `approvals` of `reins.toml` → rules. What is named stands before `*`, and of two that fit the stricter one counts: deny,
 * ask, allow. Pure.
 */
import * as Approvals from "../../agents/Approvals.ts"
import { every, readRequest } from "../../api/config/requests.ts"
import type { ConfiguredApprovals } from "../../contract/Configuration.ts"
import type { ApprovalRule, Match } from "../../contract/Rule.ts"

/** So long people have for an answer; then it is denied. */
const asked = { deadline: "1 hour" } as const

const named = (items: ReadonlyArray<string> = []): ReadonlyArray<Match> =>
  items.flatMap((item) => (item === every ? [] : (readRequest(item) ?? [])))

const hasEvery = (items: ReadonlyArray<string> = []) => items.includes(every)

export const approvalRules = ({
  deny,
  ask,
  allow = ["read", "search"]
}: ConfiguredApprovals): ReadonlyArray<ApprovalRule> => [
  ...named(deny).map((match) => Approvals.deny(match)),
  ...named(ask).map((match) => Approvals.ask(undefined, { ...asked, match })),
  ...named(allow).map((match) => Approvals.allow(match)),
  ...(hasEvery(deny) ? [Approvals.deny()] : []),
  ...(hasEvery(allow) && !hasEvery(ask) ? [Approvals.allow()] : []),
  // Also about what an allowing rule does not fit: what leaves the sandbox.
  Approvals.ask(undefined, asked)
]
