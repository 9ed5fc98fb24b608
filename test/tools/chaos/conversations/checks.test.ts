/** A campaign that went well has no findings, and each kind of loss is found. */
import { assert, describe, it } from "vitest"
import { figuresOf, findingsOf } from "../../../../tools/chaos/conversations/checks.ts"
import type { CliLine, HostLine, Logs } from "../../../../tools/chaos/conversations/logs.ts"

const request = (turn: string, at: number, how: "wait" | "fresh" | "fork" = "wait"): HostLine => ({
  is: "asked",
  at,
  turn,
  conversation: "c",
  how
})
const ended = (turn: string, at: number, session: string, text = turn): HostLine => ({
  is: "ended",
  at,
  turn,
  outcome: "completed",
  session,
  text
})
const begin = (turn: string, at: number, session: string, resumed?: string): CliLine => ({
  is: "begin",
  at,
  turn,
  pid: 7,
  host: 5,
  session,
  isFork: false,
  ...(resumed === undefined ? {} : { resumed })
})
const end = (turn: string, at: number, session: string): CliLine => ({ is: "end", at, turn, pid: 7, host: 5, session })

/** Two turns of a conversation on one session, and one whose host was killed. */
const good: Logs = {
  hosts: [
    request("1", 0),
    request("2", 5),
    ended("1", 20, "s"),
    ended("2", 40, "s"),
    request("3", 50),
    request("4", 55),
    ended("4", 90, "s")
  ],
  cli: [
    begin("1", 10, "s"),
    end("1", 18, "s"),
    begin("2", 25, "s", "s"),
    end("2", 35, "s"),
    begin("3", 60, "s", "s"),
    begin("4", 80, "s", "s"),
    end("4", 85, "s")
  ],
  histories: new Map([["s", ["1", "2", "4"]]]),
  rows: [
    { turn_id: "1", state: "done" },
    { turn_id: "2", state: "done" },
    { turn_id: "3", state: "interrupted" },
    { turn_id: "4", state: "done" }
  ],
  kills: [{ host: 5, at: 65 }],
  integrity: "ok",
  survivors: 0
}

const kindsOf = (change: Partial<Logs>) => [...new Set(findingsOf({ ...good, ...change }).map(({ kind }) => kind))]

describe("a campaign of conversations", () => {
  it("has no findings where nothing was lost, and says how long the next one waited", () => {
    assert.deepStrictEqual(findingsOf(good), [])
    const { spawned, resumed, kills, waitsAfterKills, medianWaitMs } = figuresOf(good)
    assert.deepStrictEqual(
      { spawned, resumed, kills, waitsAfterKills, medianWaitMs },
      { spawned: 4, resumed: 3, kills: 1, waitsAfterKills: 1, medianWaitMs: 15 }
    )
  })

  const lies: ReadonlyArray<readonly [string, Partial<Logs>]> = [
    ["overlap", { cli: [...good.cli, { ...end("4", 81, "s"), is: "overlap", other: 8 }] }],
    ["lost turn", { histories: new Map([["s", ["1", "4"]]]) }],
    ["doubled turn", { histories: new Map([["s", ["1", "2", "2", "4"]]]) }],
    ["begun twice", { cli: [...good.cli, begin("4", 95, "s", "s")] }],
    [
      "lost thread",
      { cli: good.cli.map((line) => (line.is === "begin" && line.turn === "2" ? begin("2", 25, "t") : line)) }
    ],
    ["wrong row", { rows: good.rows.map((row) => ({ ...row, state: row.turn_id === "2" ? "spawned" : row.state })) }],
    ["wrong row", { rows: good.rows.map((row) => ({ ...row, state: row.turn_id === "3" ? "queued" : row.state })) }],
    ["wrong row", { rows: [] }],
    ["wrong answer", { hosts: [...good.hosts, ended("2", 99, "s", "another")] }],
    ["damaged", { integrity: "row 3 missing from index" }],
    ["survivor", { survivors: 1 }],
    ["broken", { hosts: [...good.hosts, { is: "broke", at: 99, problem: "an exception" }] }]
  ]
  it.each(lies)("finds: %s", (kind, change) => assert.include(kindsOf(change), kind))

  it("allows another session if the caller wanted one, or the conversation was changed", () => {
    const cli = [begin("1", 10, "s"), end("1", 18, "s"), begin("2", 25, "t"), end("2", 35, "t")]
    const histories = new Map([
      ["s", ["1"]],
      ["t", ["2"]]
    ])
    const hosts = [request("1", 0), request("2", 5), ended("1", 20, "s"), ended("2", 40, "t")]
    const fresh = hosts.map((line) => (line.is === "asked" && line.turn === "2" ? request("2", 5, "fresh") : line))
    assert.deepStrictEqual(kindsOf({ cli, histories, hosts: fresh }), [])
    const cleared: HostLine = { is: "changes", at: 21, what: "clear", conversation: "c", host: 5 }
    assert.deepStrictEqual(kindsOf({ cli, histories, hosts: [...hosts, cleared] }), [])
    const other: HostLine = { ...cleared, conversation: "d" }
    assert.deepStrictEqual(kindsOf({ cli, histories, hosts: [...hosts, other] }), ["lost thread"])
  })
})
