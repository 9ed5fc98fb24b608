/** Denials that end the turn, or hold for the rest of the session, for every CLI value that asks. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PermissionAnswer } from "../../src/contract/Rule.ts"
import { Approvals } from "../../src/index.ts"
import { askers, assertWhole, content, ended, open, requested, turnResult, turnsDone, typed } from "../kit/live.ts"
import { until } from "../kit/processes.ts"

const ask = (name: string, command = `run ${name}`) => ({ ask: { id: name, command } })

describe.each(askers)("%s", (id) => {
  it.live("ends its turn by a denial, which withdraws its other requests", () =>
    Effect.gen(function* () {
      const { session, begin, turn, log, close } = yield* open(id, { approvals: [Approvals.ask()] })
      yield* begin(ask("a"), ask("b"), { hang: true })
      const [a, b] = [yield* requested(log, "run a"), yield* requested(log, "run b")]
      assert.isTrue(yield* session.decide(a.requestId, { decision: "deny", message: "stop", interrupt: true }))
      yield* turnsDone(log, 1)
      assert.deepInclude(typed(log.events, "turn_done")[0]?.result, { outcome: "aborted", aborted: true })
      assert.isFalse(yield* session.decide(b.requestId, { decision: "allow" }))
      const decisions = typed(log.events, "permission_decision").map(({ requestId, decision }) => [requestId, decision])
      assert.deepStrictEqual(Object.fromEntries(decisions), { [a.requestId]: "deny", [b.requestId]: "withdrawn" })
      const next = content(yield* turn({ say: "next" }, { tell: true }))
      assert.strictEqual(next[0], "next")
      const late = next.slice(1).join()
      assert.notInclude(late, "allow")
      assert.notInclude(late, "twice")
      yield* close
      yield* ended(log)
      assertWhole(log.events)
    })
  )

  it.live("does not ask again after a remembered denial", () =>
    Effect.gen(function* () {
      let calls = 0
      const handler = () => {
        calls += 1
        return { decision: "allow", remember: true } as const
      }
      const { turn } = yield* open(id, { approvals: [Approvals.ask(handler)] })
      const first = yield* turn(ask("a", "run it"), { await: 1 }, ask("b", "run it"), { await: 2 }, { tell: true })
      const again = yield* turn(ask("c", "run it"), { await: 1 }, { tell: true })
      assert.deepStrictEqual([...content(first), ...content(again)], ["a=allow", "b=allow", "c=allow"])
      assert.strictEqual(calls, 1)
      const by = [...first, ...again].flatMap((event) => (event.type === "permission_decision" ? [event.by] : []))
      assert.deepStrictEqual(by, ["handler", "memory", "memory"])
      assert.strictEqual(turnResult(again).outcome, "completed")
    })
  )

  it.live("has many handlers at once, the last of which answers first", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 8 }, (_, index) => `n${index}`)
      const answers: Array<() => void> = []
      const handler = () =>
        new Promise<PermissionAnswer>((resolve) => {
          answers.push(() => resolve({ decision: "allow" }))
        })
      const { begin, log } = yield* open(id, { approvals: [Approvals.ask(handler)] })
      yield* begin(...names.map((name) => ask(name)), { await: names.length }, { tell: true })
      yield* requested(log, "run n7")
      yield* until(() => answers.length === names.length)
      for (const [index, answer] of answers.toReversed().entries()) {
        answer()
        yield* log.until((events) => typed(events, "permission_decision").length === index + 1)
      }
      yield* turnsDone(log, 1)
      assert.deepStrictEqual(
        content(log.events),
        names.toReversed().map((name) => `${name}=allow`)
      )
    })
  )
})
