/** `reins usage`: what runs have used and what it has cost. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { UsageBy } from "../contract/Usage.ts"
import { described } from "./conversationFlags.ts"
import { cliFlag, momentFlag, zoneFlag } from "./filterFlags.ts"
import { configFlag, databaseFlag, jsonFlag } from "./flags.ts"

const rows = ["day", "month", "model", "cli", "session", "project"] as const satisfies ReadonlyArray<UsageBy>

export const usageCommand = Command.make(
  "usage",
  {
    config: configFlag,
    database: databaseFlag,
    by: Flag.Literals("by", rows).pipe(
      described("A row for each day (default), month, model, CLI, session or project", "WHAT"),
      Flag.withDefault("day" as const)
    ),
    since: momentFlag("since", "From this day, month or time on, such as 2026-11-01, or from 7d ago (default: all)"),
    until: momentFlag("until", "Before this day, month or time"),
    zone: zoneFlag,
    cli: cliFlag,
    json: jsonFlag("Print one object a line: rows, then the total, then budgets")
  },
  (input) =>
    Effect.flatMap(
      Effect.promise(() => import("./spending/perform.ts")),
      ({ printUsage }) => printUsage(input)
    )
).pipe(
  Command.withShortDescription("Show what runs have used and cost"),
  Command.withDescription(
    "Shows what runs and chats have used and cost, from the ledger of the store, and how the configured budgets stand.\n" +
      "  A cost that no CLI reports is by the price table; an unknown cost is not 0: the sum is shown as a\n" +
      "  least one (≥), with estimates as ~."
  ),
  Command.withExamples([
    { command: "reins usage", description: "Day by day" },
    { command: "reins usage --by model --since 7d", description: "The last seven days, by model" },
    { command: "reins usage --by month --json", description: "For a program" }
  ])
)
