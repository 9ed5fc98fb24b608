/** A question of the agent is asked once, returns at once, and a press of one of its buttons stands for a message. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answerOfPress } from "../../../src/bridge/gateway/askPerson.ts"
import { gatewayTools } from "../../../src/bridge/gateway/gatewayTools.ts"
import { call, callOf, piecesOf, turnOf, withBench } from "./gatewayOf.ts"

describe("ask_person", () => {
  it.effect("shows options as buttons, whose press is the option", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        const input = { question: "Which?", options: ["Red ", "Blue"] }
        const tools = gatewayTools(bench.gateway)
        const { id, status } = yield* call(tools, "ask_person", input)
        assert.strictEqual(status, "asked")
        assert.strictEqual((yield* call(tools, "ask_person", input))["id"], id)
        const [row] = yield* piecesOf(bench, [id])
        assert.deepInclude(row, { kind: "request", turnId: "t1", state: "ready" })
        const buttons = [[{ label: "Red", data: `r:${id}:0` }], [{ label: "Blue", data: `r:${id}:1` }]]
        assert.deepStrictEqual(row?.piece, { text: "Which?", body: { buttons } })
        assert.isAtMost(Buffer.byteLength(`r:${id}:1`), 40)
        const request = yield* bench.journal.requests.get(String(id))
        assert.isDefined(request)
        const answers = ["0", "1", "2", "-1", "__proto__", "0x1", ""].map((choice) =>
          answerOfPress({ request: request?.request ?? "" }, choice)
        )
        assert.deepStrictEqual(answers, ["Red", "Blue", undefined, undefined, undefined, undefined, undefined])
        assert.isUndefined(answerOfPress({ request: '{"type":"permission"}' }, "0"))
        assert.deepStrictEqual(yield* bench.journal.sends.ofTurn("t1"), [])
      })
    )
  )

  it.effect("numbers options where buttons are too few or too short", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        for (const options of [
          ["a", "b", "c", "d"],
          ["an option that is longer than a label", "b"]
        ]) {
          const { id } = yield* callOf(bench, "ask_person", { question: "Which?", options })
          const [row] = yield* piecesOf(bench, [id])
          const lines = options.map((option, at) => `${at + 1}. ${option}`).join("\n")
          assert.deepStrictEqual(row?.piece, { text: `Which?\n\n${lines}`, body: {} })
        }
      })
    )
  )

  it.effect.each([
    [{}, /^"question" is missing/],
    [{ question: " " }, /^"question" is empty/],
    [{ question: "?", options: ["a", ""] }, /^"options\.1" is empty/],
    [{ question: "?", options: ["a", " a"] }, /names an option twice/],
    [{ question: "?", options: Array.from({ length: 11 }, (_, at) => `${at}`) }, /has 11; at most 10/],
    [{ question: "?", options: ["a".repeat(201)] }, /^"options\.0" has 201 bytes/],
    [{ question: "?", to: "team" }, /^"to" is not a known field/]
  ] as const)("refuses a wrong input with the culprit", ([input, problem]) =>
    withBench((bench) =>
      Effect.gen(function* () {
        assert.match(yield* Effect.flip(callOf(bench, "ask_person", input)), problem)
        assert.deepStrictEqual(yield* bench.journal.requests.open, [])
      })
    )
  )

  it.effect("asks five times a turn at most", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        const tools = gatewayTools(bench.gateway)
        const ask = (question: string) => Effect.result(call(tools, "ask_person", { question }))
        for (let nth = 0; nth < 5; nth++) assert.strictEqual((yield* ask(`${nth}`))._tag, "Success")
        assert.strictEqual((yield* ask("5"))._tag, "Failure")
        assert.strictEqual((yield* ask("0"))._tag, "Success")
        bench.turn = turnOf("t2")
        assert.strictEqual((yield* ask("5"))._tag, "Success")
      })
    )
  )
})
