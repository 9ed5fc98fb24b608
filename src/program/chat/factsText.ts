/** What `/status` and `/usage` say; pure. */
import { formatCost, plural } from "../../contract/text/amounts.ts"
import type { Transcript } from "../blocks.ts"
import { oneLine } from "../format.ts"
import { budgetText } from "../spending/amounts.ts"
import { type Facts, modeText } from "./statusRow.ts"

export const factsText = (what: "status" | "usage", transcript: Transcript, facts: Facts): string => {
  const { agent, session, turns } = transcript
  const spent = facts.costUsd === undefined ? "no cost reported" : formatCost(facts.costUsd)
  const used = [plural(turns, "turn"), spent]
  if (what === "usage") {
    const { budget } = facts
    const budgets = budget === undefined ? ["no budget"] : [`budget ${oneLine(budget.budget)}: ${budgetText(budget)}`]
    return [...used, ...budgets, "of all sessions: reins usage"].join(" · ")
  }
  const known = [
    agent,
    facts.model ?? session?.model ?? "the agent's own model",
    modeText(facts.mode),
    ...used,
    session === undefined ? "not started yet" : `session ${session.sessionId}`,
    ...(session?.workingDirectory === undefined ? [] : [session.workingDirectory])
  ]
  return known.map(oneLine).join(" · ")
}
