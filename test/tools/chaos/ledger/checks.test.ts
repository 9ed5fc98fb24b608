/** A campaign that went well has no findings, and each kind of loss is found. */
import { assert, describe, it } from "vitest"
import { figuresOf, findingsOf } from "../../../../tools/chaos/ledger/checks.ts"
import type { EntryRow, Logs, WindowRow } from "../../../../tools/chaos/ledger/logs.ts"

const noon = Date.parse("2026-11-23T12:00Z")

const entry = (run: string, micros: number | null, more: Partial<EntryRow> = {}): EntryRow => ({
  entry_id: `${run}/run/chaos`,
  at: noon,
  run_id: run,
  cli: "claude",
  session_id: run,
  project: "p1",
  user_name: null,
  input: micros,
  output: 0,
  cache_read: null,
  cache_write: null,
  micros,
  assumed: micros === null ? 50_000 : null,
  source: micros === null ? "none" : "cli",
  billing: "unknown",
  turns: 1,
  ...more
})

const window: WindowRow = {
  window_key: "w",
  budget: "kept",
  per: "project",
  subject: "p1",
  unit: "micros",
  counts_assumed: 1,
  billing: ",api,unknown,",
  starts: 0,
  ends: null,
  spent: 80_000,
  reserved: 0
}

/** A run that completed, and one whose host was killed before it reported anything. */
const good: Logs = {
  cli: [
    { is: "begin", at: 1, run: "a", spent: 0 },
    { is: "spent", at: 2, run: "a", spent: 30_000 },
    { is: "end", at: 3, run: "a", spent: 30_000 },
    { is: "begin", at: 4, run: "b", spent: 0 },
    { is: "spent", at: 5, run: "b", spent: 7 }
  ],
  hosts: [{ is: "ended", at: 4, run: "a", outcome: "completed", micros: 30_000 }],
  entries: [entry("a", 30_000), entry("b", null)],
  left: {
    windows: [{ ...window, spent: 30_000, reserved: 50_000 }],
    reservations: [{ id: "b", window_key: "w", amount: 50_000 }]
  },
  windows: [window],
  reservations: [],
  open: 0,
  samples: 1,
  over: [],
  kills: [],
  integrity: "ok"
}

const kindsOf = (change: Partial<Logs>) => [...new Set(findingsOf({ ...good, ...change }).map(({ kind }) => kind))]

describe("a campaign of budgets", () => {
  it("has no findings where all is counted", () => {
    assert.deepStrictEqual(findingsOf(good), [])
    assert.deepInclude(figuresOf(good), { spawned: 2, entries: 2, spentUsd: 0.030007, countedUsd: 0.03 })
  })

  it.each<readonly [string, Partial<Logs>, ReadonlyArray<string>]>([
    ["an entry that is missing", { entries: [entry("a", 30_000)] }, ["missing entry", "wrong sum"]],
    ["a run that is counted twice", { entries: [...good.entries, entry("a", 30_000)] }, ["wrong entry", "wrong sum"]],
    ["a cost that no CLI had", { entries: [entry("a", 30_000), entry("b", 9)] }, ["wrong entry", "wrong sum"]],
    ["a sum that is not that of the entries", { windows: [{ ...window, spent: 79_999 }] }, ["wrong sum"]],
    ["reserves without a run", { windows: [{ ...window, reserved: 1 }] }, ["wrong reservations"]],
    [
      "a reservation of the dead",
      { reservations: [{ id: "b", window_key: "w", amount: 50_000 }], open: 1 },
      ["wrong reservations", "never freed"]
    ],
    [
      "a limit that did not hold",
      { over: [{ budget: "kept", subject: "p1", spent: 600_000, reserved: 1 }] },
      ["over the limit"]
    ],
    ["a database that is damaged", { integrity: "page 7" }, ["damaged"]],
    ["a host that broke", { hosts: [...good.hosts, { is: "broke", at: 9, problem: "a defect" }] }, ["broken"]]
  ])("%s", (_, change, kinds) => assert.deepStrictEqual(kindsOf(change), kinds))

  it("runs that spent more than they had reserved, after the last one was let in", () => {
    const raised = { ...window, budget: "raised", per: "user", subject: "u1", spent: 460_000 }
    const runs = (late: number) => ({
      cli: [
        { is: "begin", at: 0, run: "a", spent: 0 },
        { is: "end", at: late, run: "a", spent: 420_000 },
        { is: "begin", at: 60_000, run: "b", spent: 0 },
        { is: "end", at: 60_001, run: "b", spent: 40_000 }
      ] as const,
      hosts: [],
      entries: [
        entry("a", 420_000, { project: null, user_name: "u1" }),
        entry("b", 40_000, { project: null, user_name: "u1" })
      ],
      windows: [raised]
    })
    assert.deepStrictEqual(kindsOf(runs(60_000)), [])
    assert.deepStrictEqual(kindsOf(runs(40_000)), ["over the limit"])
  })
})
