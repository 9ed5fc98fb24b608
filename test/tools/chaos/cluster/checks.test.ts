/** A campaign that went well has no findings, and each kind of loss is found. */
import { assert, describe, it } from "vitest"
import { figuresOf, findingsOf } from "../../../../tools/chaos/cluster/checks.ts"
import type { ClientLine, Logs, TurnRow } from "../../../../tools/chaos/cluster/logs.ts"
import { clientCount, machineCount, nameOf, placeOf, planOf } from "../../../../tools/chaos/cluster/plan.ts"
import type { CliLine } from "../../../../tools/chaos/conversations/logs.ts"

const request = (turn: string, at: number): ClientLine => ({ is: "asked", at, turn })
const ended = (turn: string, at: number, outcome = "completed", text?: string): ClientLine => ({
  ...{ is: "ended", at, turn, outcome },
  ...(outcome === "completed" ? { text: text ?? `${turn} after 0` } : {})
})
const begin = (turn: string, at: number, pid: number): CliLine => ({
  is: "begin",
  at,
  turn,
  pid,
  host: 5,
  session: "s"
})
const end = (turn: string, at: number, pid: number): CliLine => ({ is: "end", at, turn, pid, host: 5, session: "s" })
const row = (turn: string, seq: number, state = "done"): TurnRow => ({
  ...{ turn, conversation: "c", seq, state },
  ...(state === "done" ? { text: `${turn} after 0` } : {})
})

/** Two turns that went well, one whose machine was killed while it worked, and one asked again after its client died. */
const good: Logs = {
  clients: [
    request("1", 0),
    request("2", 5),
    ended("1", 20),
    request("3", 30),
    ended("2", 40),
    ended("3", 90, "turn_interrupted"),
    request("4", 50),
    request("4", 95),
    ended("4", 120)
  ],
  cli: [
    begin("1", 10, 1),
    end("1", 18, 1),
    begin("2", 25, 2),
    end("2", 35, 2),
    begin("3", 60, 3),
    begin("4", 100, 4),
    end("4", 110, 4)
  ],
  seen: new Map([[3, 80]]),
  rows: [row("1", 1), row("2", 2), row("3", 3, "interrupted"), row("4", 4)],
  survivors: [],
  problems: []
}

const withRow = (changed: TurnRow) => good.rows.map((each) => (each.turn === changed.turn ? changed : each))

const kindsOf = (change: Partial<Logs>) => [...new Set(findingsOf({ ...good, ...change }).map(({ kind }) => kind))]

describe("a campaign of a cluster", () => {
  it("has no findings where nothing was lost, and says how long its turns waited", () => {
    assert.deepStrictEqual(findingsOf(good), [])
    assert.deepStrictEqual(figuresOf(good), {
      turns: 4,
      spawned: 4,
      rows: { done: 3, interrupted: 1 },
      told: { completed: 3, turn_interrupted: 1 },
      medianWaitMs: 60,
      longestWaitMs: 70
    })
  })

  const lies: ReadonlyArray<readonly [kind: string, change: Partial<Logs>]> = [
    ["lost turn", { rows: good.rows.slice(0, 3), cli: good.cli.slice(0, 5) }],
    [
      "lost turn",
      { clients: [...good.clients, request("5", 130), ended("5", 131, "store_unavailable"), request("5", 140)] }
    ],
    ["left open", { rows: withRow(row("3", 3, "spawned")) }],
    ["left open", { rows: withRow(row("3", 3, "claimed")) }],
    ["left open", { rows: [...good.rows, row("5", 5, "queued")] }],
    ["unanswered", { clients: [...good.clients, request("5", 130)], rows: [...good.rows, row("5", 5, "interrupted")] }],
    [
      "unanswered",
      {
        clients: [
          ...good.clients,
          request("5", 130),
          { ...ended("5", 131, "session_busy"), isRetryable: true } as ClientLine
        ],
        rows: [...good.rows, row("5", 5, "interrupted")]
      }
    ],
    ["cut off", { clients: [...good.clients, ended("3", 130, "aborted")] }],
    ["begun twice", { cli: [...good.cli, begin("4", 130, 5)] }],
    ["never begun", { cli: good.cli.filter(({ turn }) => turn !== "2") }],
    ["out of order", { rows: good.rows.map((each) => ({ ...each, seq: each.turn === "2" ? 5 : each.seq })) }],
    ["overlap", { seen: new Map([[3, 105]]) }],
    ["overlap", { cli: good.cli.map((line) => (line.turn === "1" && line.is === "end" ? end("1", 30, 1) : line)) }],
    ["wrong answer", { clients: [...good.clients, ended("2", 130, "completed", "2 after 7")] }],
    ["wrong answer", { clients: [...good.clients, ended("3", 130)] }],
    ["wrong answer", { clients: [...good.clients, ended("2", 130, "turn_interrupted")] }],
    ["wrong answer", { rows: withRow({ ...row("3", 3, "interrupted"), text: "2 after 0" }) }],
    ["survivor", { survivors: ["7: node keeps-sessions.mjs"] }],
    ["problem", { problems: ["a runner left with 1"] }],
    ["problem", { clients: [...good.clients, { is: "broke", at: 130, problem: "an exception" }] }]
  ]
  it.each(lies)("finds: %s (%#)", (kind, change) => assert.deepStrictEqual(kindsOf(change), [kind]))

  it("excuses a turn that a client was told to be refused, and one whose end came late", () => {
    const clients = [...good.clients, request("5", 130), ended("5", 131, "store_unavailable")]
    assert.deepStrictEqual(kindsOf({ clients, rows: withRow(row("3", 3, "late")) }), [])
  })

  it("allows a turn that was refused to begin behind its place, when it is asked again", () => {
    const rows = good.rows.map((each) => ({ ...each, seq: each.turn === "2" ? 5 : each.seq }))
    const refused: ClientLine = { is: "ended", at: 40, turn: "3", outcome: "store_unavailable", isRetryable: true }
    const after = [...good.clients, refused, { ...refused, turn: "4" }]
    assert.deepStrictEqual(kindsOf({ rows, clients: after }), [])
  })
})

describe("the plan", () => {
  it("is that of its seed", () => {
    assert.deepStrictEqual(planOf(1, 60), planOf(1, 60))
    assert.notDeepEqual(planOf(1, 60), planOf(2, 60))
  })

  it("disturbs every part in every way, about once in one and a half seconds", () => {
    const plan = planOf(1, 1_500)
    assert.approximately(plan.length, 1_000, 100)
    const names = new Set(plan.map(({ disturbance }) => nameOf(disturbance)))
    assert.deepStrictEqual([...names].toSorted(), [
      "client killed",
      "cut database",
      "cut peers",
      "database fast",
      "database immediate",
      "freeze",
      "freeze all",
      "kill",
      "stall database",
      "stall peers",
      "term"
    ])
    const places = new Set(plan.map(({ disturbance }) => placeOf(disturbance)))
    assert.strictEqual(places.size, 3 * machineCount + clientCount + 1)
  })
})
