/** A message that an agent sends by a tool is a row of its own turn before the tool answers, and goes nowhere else. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import * as TestClock from "effect/testing/TestClock"
import type { GatewayProfile, GatewayRole } from "../../../src/bridge/gateway/GatewayOptions.ts"
import { gatewayTools } from "../../../src/bridge/gateway/gatewayTools.ts"
import { ChannelLost } from "../../../src/bridge/ServeError.ts"
import { StoreError, StoreRefused } from "../../../src/contract/StoreError.ts"
import { call, callOf, namesOf, piecesOf, team, turnOf, withBench } from "./gatewayOf.ts"

const reply = ["send_message", "send_file", "ask_person"]
const messaging = [...reply, "list_targets"]

const lists: ReadonlyArray<readonly [GatewayProfile | undefined, GatewayRole, ReadonlyArray<string>]> = [
  ["none", "owner", []],
  [undefined, "owner", reply],
  ["reply", "user", reply],
  ["messaging", "user", messaging],
  ["full", "user", messaging],
  ["full", "approver", messaging],
  ["full", "admin", messaging]
]

describe("the list of tools", () => {
  it.effect.each(lists)("of profile %s for the role %s", ([profile, role, names]) =>
    withBench(({ gateway }) => Effect.sync(() => assert.deepStrictEqual(namesOf(gatewayTools(gateway)), names)), {
      role,
      ...(profile === undefined ? {} : { profile })
    })
  )

  it.effect("has other names for send_message where it is asked to, and tells a model of `to` only where it may", () =>
    withBench(
      ({ gateway }) =>
        Effect.sync(() => {
          const tools = gatewayTools(gateway)
          assert.deepStrictEqual(namesOf(tools), [...reply, "message", "sessions_send", "test_send"])
          assert.deepStrictEqual(
            tools.flatMap(({ inputSchema }) => Object.keys(Object(inputSchema["properties"]))),
            [
              "text",
              "replyTo",
              "path",
              "caption",
              "question",
              "options",
              ...Array.from({ length: 3 }, () => ["text", "replyTo"]).flat()
            ]
          )
          const wide = gatewayTools({ ...gateway, profile: "messaging" })[0]
          assert.containsAllKeys(wide?.inputSchema["properties"], ["to"])
          assert.strictEqual(wide?.inputSchema["additionalProperties"], false)
        }),
      { aliases: true }
    )
  )
})

describe("send_message", () => {
  it.effect("queues a piece and its record, under the name that was called", () =>
    withBench(
      (bench) =>
        Effect.gen(function* () {
          const { status, id } = yield* callOf(bench, "sessions_send", { text: "hello", replyTo: "m7" })
          assert.strictEqual(status, "queued")
          const [row] = yield* piecesOf(bench, [id])
          assert.deepInclude(row, { state: "ready", kind: "gateway", turnId: "t1", sendId: String(id) })
          assert.deepStrictEqual(row?.piece, { text: "hello", body: { replyToId: "m7" } })
          const target = { tool: "sessions_send", provider: "test", accountId: "bot", to: "1" }
          const [sent] = yield* bench.journal.sends.ofTurn("t1")
          assert.deepInclude(sent, { text: "hello", target, mediaUrls: [], state: "queued" })
          assert.strictEqual(bench.puts, 1)
        }),
      { aliases: true }
    )
  )

  it.effect("goes to a listed target, and is another message there", () =>
    withBench(
      (bench) =>
        Effect.gen(function* () {
          const here = yield* callOf(bench, "send_message", { text: "hello" })
          const there = yield* callOf(bench, "send_message", { text: "hello", to: "team" })
          assert.notStrictEqual(here["id"], there["id"])
          const rows = yield* piecesOf(bench, [there["id"]])
          assert.deepStrictEqual(rows[0]?.conversation, team)
          assert.deepStrictEqual(yield* callOf(bench, "list_targets", {}), {
            targets: [{ to: "team", channel: "test", description: "All of us" }]
          })
        }),
      { profile: "messaging" }
    )
  )

  it.effect.each([
    "2",
    "Team",
    "__proto__",
    "constructor",
    "toString",
    "",
    '["test","bot","2"]',
    "\u202eteam",
    "x".repeat(9999)
  ])("goes to no target that is not listed: %j", (to) =>
    withBench(
      (bench) =>
        Effect.gen(function* () {
          const problem = yield* Effect.flip(callOf(bench, "send_message", { text: "hello", to }))
          assert.match(problem, /is not a listed target\. Listed are "team"\.$/)
          assert.isBelow(problem.length, 250)
          assert.notInclude(problem, "\u202e")
          assert.deepStrictEqual(yield* bench.journal.sends.ofTurn("t1"), [])
        }),
      { profile: "messaging" }
    )
  )

  it.effect("names no target if it has none", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        const problem = yield* Effect.flip(callOf(bench, "send_message", { text: "hello", to: "team" }))
        assert.strictEqual(problem, '"to" is not allowed here: leave it out to write to this chat.')
      })
    )
  )

  const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
    [{}, /^"text" is missing/],
    [undefined, /^"text" is missing/],
    [null, /^"text" is missing/],
    ["hello", /^"input" is not an object/],
    [{ text: 5 }, /^"text" Expected a text, not a number/],
    [{ text: " \n\u0000 " }, /^"text" is empty/],
    [{ text: "a", target: "team" }, /^"target" is not a known field; did you mean "to"\?/],
    [{ message: "a" }, /^"message" is not a known field; did you mean "text"\?/],
    [JSON.parse('{ "text": "a", "__proto__": { "to": "team" } }'), /^"__proto__" is not a known field/],
    [{ text: "a", to: ["team"] }, /^"to" Expected a text, not a list/],
    [{ text: "é".repeat(50_001) }, /^"text" has 100002 bytes; at most 100000 are taken/],
    [{ text: "a", replyTo: "a b" }, /^"replyTo" is not the id/],
    [{ text: "a", replyTo: "1".repeat(201) }, /^"replyTo" is not the id/]
  ]
  it.effect.each(wrong)("refuses a wrong input with the culprit, and sends nothing", ([input, problem]) =>
    withBench(
      (bench) =>
        Effect.gen(function* () {
          const content = yield* Effect.flip(callOf(bench, "send_message", input))
          assert.match(content, problem)
          assert.isBelow(content.length, 400)
          assert.deepStrictEqual(yield* bench.journal.sends.ofTurn("t1"), [])
          assert.strictEqual(bench.puts, 0)
        }),
      { profile: "messaging" }
    )
  )

  it.effect("takes any text of 100 kB, well-formed and without NUL", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        const cases = [
          ["a\ud800b", "a\ufffdb"],
          ["a\u0000b", "ab"],
          ["x".repeat(100_000), "x".repeat(100_000)],
          ["**bold** 👨‍👩‍👧 \u202e", "**bold** 👨‍👩‍👧 \u202e"]
        ]
        for (const [text = "", stored = ""] of cases) {
          const { id } = yield* callOf(bench, "send_message", { text })
          assert.strictEqual((yield* piecesOf(bench, [id]))[0]?.piece.text, stored)
        }
        const sent = yield* bench.journal.sends.ofTurn("t1")
        assert.sameMembers(
          sent.map(({ text }) => text),
          cases.map(([, stored]) => stored)
        )
      })
    )
  )

  it.effect.prop("stores any input, or says why not", [Schema.Union([Schema.String, Schema.Json])], ([input]) =>
    withBench((bench) =>
      Effect.gen(function* () {
        for (const value of [{ text: input }, { text: "a", to: input }, input]) {
          const outcome = yield* Effect.result(callOf(bench, "send_message", value))
          if (outcome._tag === "Failure") {
            assert.match(outcome.failure, /\S/)
            continue
          }
          const [row] = yield* piecesOf(bench, [outcome.success["id"]])
          assert.strictEqual(row?.piece.text, String(Object(value)["text"]).toWellFormed().replaceAll("\0", ""))
        }
      })
    )
  )

  it.effect("is one message where the model repeats it within a minute", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        const first = yield* callOf(bench, "send_message", { text: "hello" })
        yield* TestClock.adjust("59 seconds")
        const again = yield* callOf(bench, "send_message", { text: "hello" })
        assert.strictEqual(again["id"], first["id"])
        assert.match(String(again["note"]), /sent once/)
        yield* TestClock.adjust("1 second")
        const later = yield* callOf(bench, "send_message", { text: "hello" })
        assert.notStrictEqual(later["id"], first["id"])
      })
    )
  )

  it.effect("tells the model of the 21st message of a turn that it is not sent", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        for (let nth = 1; nth <= 20; nth++) yield* callOf(bench, "send_message", { text: `${nth}` })
        const problem = yield* Effect.flip(callOf(bench, "send_message", { text: "21" }))
        assert.match(problem, /was not sent: a turn may send 20 messages/)
        bench.turn = turnOf("t2")
        yield* callOf(bench, "send_message", { text: "21" })
      })
    )
  )

  it.effect("belongs to the turn, and goes by its role, at the time of the call", () =>
    withBench(
      (bench) =>
        Effect.gen(function* () {
          const tools = gatewayTools(bench.gateway)
          yield* call(tools, "send_message", { text: "one" })
          bench.turn = turnOf("t2", "user")
          yield* call(tools, "send_message", { text: "two" })
          bench.turn = undefined
          const between = yield* Effect.flip(call(tools, "send_message", { text: "three" }))
          assert.match(between, /No turn is running/)
          const texts = (turn: string) =>
            Effect.map(bench.journal.sends.ofTurn(turn), (sent) => sent.map(({ text }) => text))
          assert.deepStrictEqual([yield* texts("t1"), yield* texts("t2")], [["one"], ["two"]])
        }),
      { role: "owner", profile: "messaging" }
    )
  )

  it.effect("answers within a second when the store does not: it is not known, and may be sent yet", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        const sends = { ...bench.journal.sends, put: () => Effect.never }
        const gateway = { ...bench.gateway, outlet: { ...bench.outlet, journal: { ...bench.journal, sends } } }
        const fiber = yield* Effect.forkChild(Effect.flip(callOf({ gateway }, "send_message", { text: "hello" })))
        yield* TestClock.adjust("1 second")
        assert.match(yield* Fiber.join(fiber), /^It is not known whether this was queued/)
      })
    )
  )

  const failures = [
    [new ChannelLost({ channel: "test", accountId: "bot" }), /^This was not sent: the bridge is ending/],
    [
      new StoreError({ reason: new StoreRefused({ place: "/secret", problem: "is gone", cure: "" }) }),
      /^It is not known/
    ]
  ] as const
  it.effect.each(failures)("says what a failure of the store means, and not where it is", ([failure, problem]) =>
    withBench((bench) =>
      Effect.gen(function* () {
        const sends = { ...bench.journal.sends, put: () => Effect.fail(failure) }
        const gateway = { ...bench.gateway, outlet: { ...bench.outlet, journal: { ...bench.journal, sends } } }
        const content = yield* Effect.flip(callOf({ gateway }, "send_message", { text: "hello" }))
        assert.match(content, problem)
        assert.notInclude(content, "/secret")
      })
    )
  )
})
