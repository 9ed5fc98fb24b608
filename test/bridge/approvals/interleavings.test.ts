/** Any interleaving of presses, texts, deadlines, withdrawals and other surfaces: one decision, one write, and who decided is shown. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { endPayload } from "../../../src/bridge/approvals/requestText.ts"
import { runs } from "../../kit/runs.ts"
import { colour, here, makeKit, question, request, sizes } from "./kit.ts"

const ids = ["1", "2", "3", "4"] as const
const Id = Schema.Literals(ids)
const Person = Schema.Literals(["ann", "bob", "eve"])

const Step = Schema.Union([
  Schema.Struct({ type: Schema.Literal("ask"), id: Id }),
  Schema.Struct({
    type: Schema.Literal("press"),
    id: Id,
    person: Person,
    button: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })),
    isElsewhere: Schema.Boolean
  }),
  Schema.Struct({ type: Schema.Literal("write"), person: Person, text: Schema.Literals(["1", "2", "green", "S", ""]) }),
  Schema.Struct({ type: Schema.Literal("withdraw"), id: Id, by: Schema.Literals(["agent", "end", "rule"]) }),
  Schema.Struct({ type: Schema.Literal("other"), id: Id }),
  Schema.Struct({ type: Schema.Literal("wait"), minutes: Schema.Literals([20, 60]) }),
  Schema.Struct({ type: Schema.Literal("ended") }),
  Schema.Struct({ type: Schema.Literal("settle") })
])
type Step = typeof Step.Type

const askedOf = {
  "1": () => request("1"),
  "2": () => request("2", { preview: "y".repeat(2000) }),
  "3": () => question("3"),
  "4": () => question("4", colour, sizes)
}

const titles = { "1": "Run make", "2": "Run make", "3": "Which colour?", "4": "Which colour?" } as const

/** A line for each way in which a request can end. */
const lineOf = (decided: object | undefined, by: string | undefined): RegExp => {
  if (by !== undefined) return /^over: |^Denied by a rule$|^Not answered by a rule$/
  if (decided === undefined) return /^Not answered: no answer in time$/
  const { decision, person, where } = decided as { decision?: string; person?: string; where?: string }
  if (decision === undefined) return /^Answered by (Ann|Bob): /
  if (person === undefined) return /^Denied: no answer in time$/
  return new RegExp(`^(Allowed|Always allowed|Denied) by ${person}${where === "web" ? " \\(web\\)" : ""}$`)
}

const perform = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const kit = yield* makeKit()
  const requested = new Set<string>()
  const withdrawn = new Map<string, string>()
  /** The newest of its buttons. */
  const dataOf = (id: string, button: number) => {
    const row = [...kit.rows.values()].find(({ requestId }) => requestId === id)
    const code = ["a", "d", "s", "q0.0", "q1.1", "n1"][button] ?? "a"
    return row === undefined ? "r:AAAAAAAAAAAAAAAA:a" : `r:${row.id}:${code}`
  }
  for (const step of steps) {
    const before = { decisions: kit.decisions.length, writes: kit.writes.length, messages: kit.messages.length }
    switch (step.type) {
      case "ask":
        if (!requested.has(step.id)) yield* kit.ask(askedOf[step.id]())
        requested.add(step.id)
        break
      case "press": {
        const place = step.isElsewhere ? { ...here, chatId: "2" } : here
        const count = kit.acknowledged.length
        assert.isTrue(
          yield* kit.approvals.press(kit.pressed(dataOf(step.id, step.button), step.person, place)),
          "not ours"
        )
        assert.lengthOf(kit.acknowledged, count + 1)
        if (step.person === "eve" || (step.isElsewhere && requested.has(step.id))) {
          assert.strictEqual(kit.acknowledged.at(-1), "not yours to answer")
          assert.deepStrictEqual(before.decisions, kit.decisions.length)
        }
        break
      }
      case "write": {
        const isTaken = yield* kit.write(step.text, step.person)
        if (step.person === "eve") assert.isFalse(isTaken)
        if (!isTaken) assert.deepStrictEqual(before.decisions, kit.decisions.length)
        break
      }
      case "withdraw":
        if (kit.open.has(step.id)) withdrawn.set(step.id, step.by)
        kit.withdraw(step.id, step.by)
        break
      case "other":
        yield* requested.has(step.id) && (step.id === "1" || step.id === "2")
          ? kit.deciding.decide(step.id, { decision: "allow", person: "Cy", where: "web" })
          : Effect.void
        break
      case "wait":
        yield* TestClock.adjust(step.minutes * 60_000)
        break
      case "ended":
        for (const id of kit.open.keys()) {
          withdrawn.set(id, "end")
          kit.withdraw(id, "end")
        }
        yield* kit.settle
        yield* kit.approvals.ended(kit.deciding)
        break
      case "settle":
        break
    }
    // The events of the others wait, as those of a session can.
    if (["wait", "settle"].includes(step.type)) yield* kit.settle
  }
  yield* kit.settle
  assert.lengthOf(
    kit.steps.filter((each) => each.startsWith("write ")),
    kit.writes.length
  )
  for (const id of ids) {
    const row = [...kit.rows.values()].find(({ requestId }) => requestId === id)
    const decided = kit.decisions.filter(([each]) => each === id)
    const output = kit.writes.filter(([each]) => each === row?.id)
    assert.isAtMost(decided.length, 1, `${id} was decided more than once`)
    assert.isAtMost(output.length, 1, `${id} was written more than once`)
    const isOver = decided.length === 1 || withdrawn.has(id)
    assert.strictEqual(output.length === 1, isOver && row !== undefined, `the row of ${id}`)
    const [, line = "", person] = output[0] ?? []
    const message = kit.messages.find(({ key }) => key === `${row?.id}.1`)
    const last = message?.payloads.at(-1)
    if (!isOver) {
      if (requested.has(id)) assert.isNotEmpty(last?.buttons ?? [], `the buttons of ${id}`)
      continue
    }
    assert.match(line, lineOf(decided[0]?.[1], withdrawn.get(id)))
    assert.strictEqual(row?.person, person)
    assert.deepStrictEqual(last, endPayload(titles[id], line))
  }
})

describe("requests and questions", () => {
  it.effect.prop(
    "are decided once, whatever happens in whichever order",
    [Schema.Array(Step).check(Schema.isMaxLength(25))],
    ([steps]) => Effect.scoped(perform([{ type: "ask", id: "1" }, ...steps])),
    { ...runs(1_000), timeout: 120_000 }
  )
})
