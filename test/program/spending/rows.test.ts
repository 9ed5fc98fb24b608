// Usage and budgets as rows: fit to the width, with what is unknown shown, and no text of a stranger steers the terminal.
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { CliOutput } from "effect/cli"
import type { BudgetState } from "../../../src/contract/Budget.ts"
import type { UsageReport, UsageRow } from "../../../src/contract/Usage.ts"
import { budgetLines } from "../../../src/program/spending/perform.ts"
import { bar, reportLines, shareBar, totalLines } from "../../../src/program/spending/table.ts"
import { foreign, unseenIn } from "../../kit/foreignText.ts"

const sumOf = (usd: number, runs: number, unpriced = 0, estimated = 0) => ({
  micros: usd * 1e6,
  costUsd: usd,
  estimated: estimated * 1e6,
  tokens: { input: 200_000, output: 88_000, cacheRead: 1_000_000, cacheWrite: 0, total: 1_288_000 },
  runs,
  unpriced: { runs: unpriced, tokens: 0 }
})

const reportOf = (by: UsageReport["by"], rows: ReadonlyArray<UsageRow>, total = sumOf(8.32, 103, 2)): UsageReport => ({
  by,
  zone: "Europe/Berlin",
  rows,
  total
})

const days = reportOf("day", [
  { key: "2026-11-16", ...sumOf(3.2, 41) },
  { key: "2026-11-17", ...sumOf(0.81, 12, 0, 0.5) },
  { key: "2026-11-18", ...sumOf(4.31, 50, 2) }
])

const plain = (line: string) => line.replaceAll(/\u001b\[\d+m|[\ue000-\uf8ff]/g, "")
const at = (columns: number) => ({ live: true, columns })
const piped = { live: false, columns: 80 }

describe("usage by day", () => {
  it("is a table without a terminal", () => {
    expect(reportLines(days, piped)).toEqual([
      "Usage by day · Europe/Berlin",
      "2026-11-16 Mon    $3.20  41 runs              1.2M in  88k out",
      "2026-11-17 Tue   ~$0.81  12 runs              1.2M in  88k out",
      "2026-11-18 Wed  ≥ $4.31  50 runs, 2 unpriced  1.2M in  88k out"
    ])
  })

  it("has bars at a terminal, and what fits beside them", () => {
    expect(reportLines(days, at(80)).map(plain)).toEqual([
      "Usage by day · Europe/Berlin",
      "2026-11-16 Mon  ███████████        $3.20  41 runs              1.2M in  88k out",
      "2026-11-17 Tue  ███               ~$0.81  12 runs              1.2M in  88k out",
      "2026-11-18 Wed  ███████████████  ≥ $4.31  50 runs, 2 unpriced  1.2M in  88k out"
    ])
    expect(reportLines(days, at(50)).map(plain).slice(1)).toEqual([
      "2026-11-16 Mon  ██████████████████          $3.20",
      "2026-11-17 Tue  █████                      ~$0.81",
      "2026-11-18 Wed  ████████████████████████  ≥ $4.31"
    ])
  })

  it.prop(
    "never goes over the edge",
    [Schema.Int.check(Schema.isBetween({ minimum: 30, maximum: 200 }))],
    ([columns]) => {
      for (const line of [
        ...reportLines(days, at(columns)),
        ...totalLines(days, ["gpt-reserve"], at(columns)).slice(1)
      ])
        expect(CliOutput.displayWidth(plain(line))).toBeLessThan(columns)
    }
  )

  it("ends with the sum, and the models without a price", () => {
    expect(totalLines(days, ["gpt-reserve"], piped)).toEqual([
      "Total  ≥ $8.32 (2 runs unpriced: gpt-reserve) · 103 runs · 1.2M in, 88k out"
    ])
    const estimated = reportOf("day", [], sumOf(1, 1, 0, 0.25))
    expect(totalLines(estimated, [], piped)).toEqual([
      "Total  ~$1.00 · 1 run · 1.2M in, 88k out · ~$0.25 of it estimated"
    ])
  })

  it("never shows an unknown cost as nothing", () => {
    const unknown = reportOf("model", [{ key: "auto", ...sumOf(0, 2, 2) }], sumOf(0, 2, 2))
    expect(reportLines(unknown, piped)[1]).toBe("auto  unknown  2 runs, 2 unpriced  1.2M in  88k out")
    expect(totalLines(unknown, ["auto"], piped)[0]).toMatch(/^Total {2}unknown \(2 runs unpriced: auto\)/)
  })

  it("has a name for what has none", () => {
    const rows = [sumOf(1, 1)]
    expect(reportLines(reportOf("model", rows), piped)[1]).toMatch(/^\(unknown model\)/)
    expect(reportLines(reportOf("project", rows), piped)[1]).toMatch(/^\(no project\)/)
  })

  it.prop("no name of a stranger moves anything", [foreign], ([name]) => {
    const report = reportOf("project", [{ key: name, ...sumOf(1, 1) }])
    for (const line of [...reportLines(report, piped), ...totalLines(report, [name], piped)]) {
      expect(unseenIn(line)).toEqual([])
      expect(line).not.toContain("\n")
    }
  })
})

const state: BudgetState = {
  budget: "day",
  per: "all",
  window: "day",
  unit: "usd",
  limit: 5,
  spent: 4.31,
  reserved: 0.5,
  level: "critical",
  startsAt: Date.parse("2026-11-22T23:00:00Z"),
  endsAt: Date.parse("2026-11-23T23:00:00Z")
}

describe("budgets", () => {
  it("say what is spent, reserved and left, and until when", () => {
    const over: BudgetState = {
      ...state,
      budget: "shop",
      subject: "/home/me/shop",
      spent: 7,
      reserved: 0,
      level: "exceeded"
    }
    const tokens: BudgetState = {
      budget: "all",
      per: "all",
      window: "total",
      unit: "tokens",
      limit: 2e6,
      spent: 1e6,
      reserved: 0
    }
    expect(budgetLines([state, over, tokens], "Europe/Berlin", piped)).toEqual([
      "budget day                   $4.31 + $0.50 reserved of $5.00  96 %",
      "budget shop · /home/me/shop  $7.00 of $5.00  140 %, free again 2026-11-24 00:00",
      "budget all                   1M of 2M tokens  50 %"
    ])
  })

  it("have a bar at a terminal", () => {
    expect(budgetLines([state], "UTC", at(80)).map(plain)).toEqual([
      "day  ██████████████████████████▒▒▒░  $4.31 + $0.50 reserved of $5.00  96 %"
    ])
    expect(budgetLines([state], "UTC", at(40)).map(plain)).toEqual(["day  $4.31 + $0.50 reserved of $5.00  96 %"])
  })

  it.prop("no name of a stranger moves anything", [foreign, foreign], ([budget, subject]) => {
    for (const line of budgetLines([{ ...state, budget, subject }], "UTC", piped)) expect(unseenIn(line)).toEqual([])
  })
})

const amount = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e9 }))

it.prop("a bar is as wide as it has to be, whatever it shows", [amount, amount, amount], ([a, b, c]) => {
  expect(bar(a, b, 12)).toHaveLength(12)
  expect(shareBar(a, b, c, 12)).toHaveLength(12)
})
