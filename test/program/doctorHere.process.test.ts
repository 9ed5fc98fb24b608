/** The lines of `reins doctor` about the configuration and the store. */
import { assert, describe, it } from "vitest"
import type { Finding } from "../../src/bridge/messages/Channel.ts"
import type { StoreReport } from "../../src/contract/DoctorReport.ts"
import { configurationLines, priceLines, serveLines, storeLines } from "../../src/program/doctor/here.ts"
import { clockFinding, diskFinding, rowsFinding } from "../../src/program/doctor/serve.ts"
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

describe("what reins serve needs", () => {
  const mib = 1024 * 1024
  it.each<readonly [string, Finding, Finding["level"]]>([
    ["much space", diskFinding(5_000 * mib), "ok"],
    ["little space", diskFinding(500 * mib), "warning"],
    ["no space", diskFinding(50 * mib), "failure"],
    ["a clock that goes right", clockFinding(1_000_000, 1_000_000), "ok"],
    ["a clock and no store", clockFinding(0, undefined), "ok"],
    ["a clock that was set back", clockFinding(1_000_000, 5_000_000), "failure"],
    ["all sent", rowsFinding({ unsent: { failed: 0, held: 3, unknown: 0 } }), "ok"],
    ["something not sent", rowsFinding({ unsent: { failed: 1, held: 0, unknown: 2 } }), "warning"]
  ])("%s", (_, { level }, expected) => {
    assert.strictEqual(level, expected)
  })

  it("is told in a line, or with what is wrong", () => {
    const wrong: Finding = { level: "failure", message: "port 1\u001b[2J cannot be used", help: "End it" }
    assert.deepStrictEqual(serveLines(surface, [{ level: "ok", message: "fine" }]), ["✓ serve     can start"])
    assert.deepStrictEqual(serveLines(surface, [{ level: "warning", message: "full" }]), [
      "! serve     can start, but",
      "  problem   full"
    ])
    assert.deepStrictEqual(serveLines(surface, [wrong]), [
      "✗ serve     cannot start",
      "  problem   port 1\\u001b[2J cannot be used",
      "  cure      End it"
    ])
  })
})
