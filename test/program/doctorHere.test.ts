/** What `reins doctor` says of the configuration and of the store. */
import { assert, describe, it } from "@effect/vitest"
import { configurationLines, priceLines, storeLines } from "../../src/program/doctor/here.ts"
import type { StoreReport } from "../../src/types/DoctorReport.ts"
import { runHere } from "./programHere.ts"

const surface = { live: false, columns: 80 }

describe("the configuration", () => {
  it.each([
    ["none", { problems: [] }, ""],
    ["valid", { file: "/c/reins.toml", problems: [] }, "✓ config    valid, and yours alone\n  file      /c/reins.toml"],
    [
      "wrong",
      { file: "/c/reins.toml", problems: [{ line: 3, problem: "unknown key" }, { problem: "others\u001b[2J" }] },
      "✗ config    not valid, so that nothing is run\n  file      /c/reins.toml\n  line 3    unknown key\n  problem   others\\u001b[2J"
    ],
    [
      "of a directory",
      { ignored: "/w/reins.toml", problems: [] },
      "! config    /w/reins.toml is not read: it is the working directory's, not yours"
    ]
  ])("%s", (_, report, expected) => {
    assert.strictEqual(configurationLines(surface, report).join("\n"), expected)
  })

  it("that is wrong fails, with its line", async () => {
    const { code, stdout } = await runHere(["doctor", "--agent", "claude", "--config", "/nowhere/reins.toml", "--json"])
    const report = JSON.parse(stdout)
    assert.strictEqual(code, 1)
    assert.include(report.failed, "config")
    assert.deepStrictEqual(report.configuration, {
      file: "/nowhere/reins.toml",
      problems: [{ problem: "does not exist" }]
    })
  })
})

it("the age of the price table", () => {
  const at = (date: string) => priceLines(surface, Date.parse(date))[0]
  assert.match(at("2026-09-24") ?? "", /^✓ prices {4}genai-prices [\d.]+ of 2026-09-23, 1 day old$/)
  assert.match(
    at("2026-12-01") ?? "",
    /^! prices {4}.* 69 days old; update Reins, or name newer prices below \[prices\] of reins\.toml$/
  )
})

describe("the store", () => {
  const store: StoreReport = { kind: "file", place: "/s/store.db", status: "good", supported: 1, movedAside: [] }
  it.each<readonly [string, Partial<StoreReport>, string]>([
    [
      "good",
      { schema: 1, sessions: 2, database: "SQLite 3.51.0", journal: "wal", bytes: 40_960, logBytes: 1024, locks: true },
      "✓ store     2 sessions, SQLite 3.51.0, schema 1, journal wal\n  place     /s/store.db (41 KiB)\n  locks     keep others out"
    ],
    ["absent", { status: "absent" }, "· store     none yet: the first run makes it"],
    [
      "damaged",
      { status: "damaged", problem: "is malformed", cure: "Move it away.", movedAside: ["/s/store.db.corrupt-1"] },
      "✗ store     damaged\n  place     /s/store.db\n  problem   is malformed\n  cure      Move it away.\n  damaged   /s/store.db.corrupt-1: moved aside, and has no effect"
    ],
    [
      "newer",
      { status: "newer", schema: 9 },
      "✗ store     written by a newer version of Reins\n  place     /s/store.db"
    ]
  ])("%s", (_, report, expected) => {
    assert.strictEqual(storeLines(surface, { ...store, ...report }).join("\n"), expected)
  })
})
