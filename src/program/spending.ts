/** `reins usage`: what runs have used and what it has cost. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { UsageBy } from "../types/Usage.ts"
import { configFlag, jsonFlag } from "./flags.ts"

const rows = ["day", "month", "model", "cli", "session", "project"] as const satisfies ReadonlyArray<UsageBy>

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

export const usageCommand = Command.make(
  "usage",
  {
    config: configFlag,
    by: Flag.Literals("by", rows).pipe(
      Flag.withMetavar("WHAT"),
      Flag.withDescription("A row for each day (default), month, model, CLI, session or project"),
      Flag.withDefault("day" as const)
    ),
    since: text("since", "D", "From this day, month or time on, such as 2026-11-01, or from 7d ago (default: all)"),
    until: text("until", "D", "Before this day, month or time"),
    zone: text("zone", "Z", "Time zone in which days begin, such as Europe/Berlin (default: the configured one)"),
    cli: text("cli", "NAME", "Of this CLI alone: claude, gemini, codex, opencode"),
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
      "  A cost that no CLI reports is by the price table; one that nobody knows is not 0: the sum is shown as a\n" +
      "  least one (≥), with estimates as ~."
  ),
  Command.withExamples([
    { command: "reins usage", description: "Day by day" },
    { command: "reins usage --by model --since 7d", description: "The last seven days, by model" },
    { command: "reins usage --by month --json", description: "For a program" }
  ])
)
