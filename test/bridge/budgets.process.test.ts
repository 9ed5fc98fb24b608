/** Budgets in chats: their levels below answers, and their numbers where a turn is refused. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { errorEvent } from "../../src/agents/engine/result.ts"
import { createBridge } from "../../src/bridge/promise/CreateBridge.ts"
import { budgetLines } from "../../src/bridge/turn/budgetLines.ts"
import { withFooter, withoutFooter } from "../../src/bridge/turn/footer.ts"
import { failureText } from "../../src/bridge/turn/outcome.ts"
import { render } from "../../src/channels/telegram/outgoing/render.ts"
import { BudgetExceeded } from "../../src/contract/AgentError.ts"
import type { BudgetState } from "../../src/contract/Budget.ts"
import { Ledger } from "../../src/money/Ledger.ts"
import { ScriptedChannel } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { FakeCli, LiveStep } from "../../src/testing.ts"
import { bridgeOf } from "./bridgeOf.ts"

const endsAt = Date.UTC(2026, 10, 29)
const day: BudgetState = {
  budget: "day",
  per: "all",
  window: "day",
  unit: "usd",
  limit: 5,
  spent: 4.2,
  reserved: 0,
  endsAt
}
const line = 'Budget "day": $4.20 of $5.00 spent (84 %), free again 29 Nov 2026, 00:00 (UTC)'
const counted = { user: "telegram/bot/1", directory: "/shop" }
const linesOf = (...states: ReadonlyArray<BudgetState>) => budgetLines(states, counted, "UTC")

const { spent: _, ...unspent } = day

/** An agent whose ledger says this. */
const agentWith = (...states: ReadonlyArray<BudgetState>) =>
  Layer.merge(
    TestRuntime.layer([{ type: "text", text: "the answer" }]),
    Layer.mock(Ledger, { budgets: Effect.succeed(states) })
  )

const answerOf = (states: ReadonlyArray<BudgetState>, footer: boolean) =>
  Effect.gen(function* () {
    const gateway = { zone: "UTC" }
    const { say, shown: visible } = yield* (yield* bridgeOf(agentWith(...states), { footer, gateway }))()
    yield* say("hello")
    return (yield* visible("ann", "the answer")).text
  }).pipe(Effect.scoped)

describe("a budget in a chat", () => {
  it("is shown from 80 % on, the fullest first, if the chat counts in it", () => {
    assert.deepStrictEqual(linesOf({ ...day, spent: 3.99 }), [])
    assert.deepStrictEqual(linesOf(day), [line])
    assert.deepStrictEqual(linesOf({ ...day, per: "user", subject: "telegram/bot/2" }), [])
    assert.deepStrictEqual(linesOf({ ...day, per: "project", subject: "/other" }), [])
    const { endsAt: __, ...total } = day
    assert.deepStrictEqual(
      linesOf(
        day,
        { ...day, budget: "mine", per: "user", subject: counted.user, spent: 8 },
        { ...total, budget: "shop", per: "project", subject: "/shop", unit: "turns", limit: 10, spent: 9 }
      ),
      [
        'Budget "mine": $8.00 of $5.00 spent (160 %), free again 29 Nov 2026, 00:00 (UTC)',
        'Budget "shop": 9 turns of 10 turns spent (90 %)',
        line
      ]
    )
  })

  it.live("is below the answer, with and without a footer", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* answerOf([day], false)).replaceAll("\\", ""), `the answer\n\n${line}`)
      // A turn of less than 1 ms has no time in its footer.
      const withFooters = (yield* answerOf([day], true)).replaceAll("\\", "").replace("test · 0 s", "test")
      assert.include(withFooters, `test\n${line}`)
      assert.strictEqual(yield* answerOf([{ ...unspent, spent: 1 }], false), "the answer")
    })
  )

  it("is not part of the answer when a person replies to it", () => {
    for (const footer of [
      line,
      `claude · 3 s · $0.21\n${line}\n${line}\nclaude --resume 8b2d`,
      `claude · 3 s\n${line}`
    ]) {
      const [piece] = render({ text: withFooter("the answer", footer) })
      assert.strictEqual(withoutFooter(piece?.text ?? ""), "the answer")
    }
  })

  it("that has no room says its numbers", () => {
    const reason = new BudgetExceeded({
      ...{ budget: "day", unit: "usd", limit: 5, spent: 4.9, reserved: 0, asked: 0.5, freeAt: endsAt }
    })
    assert.strictEqual(
      failureText(errorEvent(reason), "UTC"),
      'The budget "day" has no room: $4.90 of $5.00 spent, $0.00 reserved, and this run needs $0.50; free again at 29 Nov 2026, 00:00 (UTC).'
    )
  })

  it.live("of createBridge is shown, and refuses with its numbers", () =>
    Effect.gen(function* () {
      const fake = yield* Effect.promise(() => FakeCli.install(FakeCli.live("claude", [[LiveStep.text("one")]])))
      const scripted = ScriptedChannel.make()
      const bridge = createBridge({
        agents: { claude: { command: fake.command, killGrace: 200 } },
        access: { owners: ["ann"] },
        budgets: [{ name: "few", window: "day", turns: 1, reserve: 1 }],
        gateway: { zone: "UTC" },
        store: { memory: true }
      })
      const serving = bridge.serve(Effect.succeed(scripted.channel))
      const answer = (part: string) =>
        scripted.until(() => scripted.chat("ann").find(({ isOurs, text }) => isOurs && text.includes(part)))
      yield* scripted.say("hello")
      assert.include(
        (yield* answer("one")).text.replaceAll("\\", ""),
        'Budget "few": 1 turn of 1 turn spent (100 %), free again '
      )
      yield* scripted.say("again")
      assert.include((yield* answer("has no room")).text, "1 turn of 1 turn spent")
      yield* Effect.promise(() => bridge.close())
      yield* Effect.promise(() => serving)
      yield* Effect.promise(() => fake[Symbol.asyncDispose]())
    })
  )
})
