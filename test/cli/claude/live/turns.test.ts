/** Turns, steers and interrupts in orders that no recording has. */
import { assert, describe, it } from "vitest"
import { type Dialogue, isAction, type Output } from "../../../../src/cli/Live.ts"
import {
  begun,
  broken,
  canUse,
  granted,
  init,
  lifecycle,
  ofWork,
  only,
  opened,
  refused,
  result,
  session,
  tags,
  writes
} from "./lines.ts"

describe("a turn", () => {
  it.each(["", " \n", "x".repeat(10_000_001)])("with a prompt that cannot be one ends at once", (prompt) => {
    const dialogue = opened()
    const ended = only(dialogue.turn(prompt))
    assert.strictEqual(ended.verdict._tag, "Failure")
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it.each([
    [undefined, " /cost"],
    [true, "/cost"]
  ])("is text unless commands are wanted: %s", (slashCommands, content) => {
    const dialogue = opened(slashCommands === undefined ? {} : { slashCommands })
    assert.strictEqual(writes(dialogue.turn("/cost"))[0]?.message.content, content)
  })

  it("is under way from the moment it was handed over until its result", () => {
    const dialogue = opened()
    dialogue.turn("go")
    assert.strictEqual(dialogue.standing(), "working")
    assert.strictEqual(only(dialogue.push(result())).isOwn, undefined)
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("that a result names is over, whatever its lifecycle was before", () => {
    const dialogue = opened()
    dialogue.turn("go")
    dialogue.push(lifecycle("u1", "queued"))
    assert.strictEqual(only(dialogue.push(result({ user_message_uuids: ["u1"] }))).isOwn, undefined)
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("that the CLI began by itself is not the one asked for", () => {
    const dialogue = opened()
    dialogue.push(init())
    dialogue.turn("go")
    dialogue.push(lifecycle("u1", "queued"))
    assert.strictEqual(only(dialogue.push(result(ofWork))).isOwn, false)
    assert.strictEqual(dialogue.standing(), "working")
    dialogue.push(lifecycle("u1", "started"))
    assert.strictEqual(only(dialogue.push(result({ user_message_uuids: ["u1"] }))).isOwn, undefined)
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("that was folded into one the CLI began by itself has the result of that", () => {
    const dialogue = opened()
    dialogue.push(init())
    dialogue.turn("go")
    for (const state of ["queued", "started", "completed"]) dialogue.push(lifecycle("u1", state))
    const ended = only(dialogue.push(result({ ...ofWork, user_message_uuids: ["u1"] })))
    assert.strictEqual(ended.isOwn, undefined)
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("that the CLI drops before it began is over", () => {
    const dialogue = opened()
    dialogue.turn("go")
    assert.strictEqual(only(dialogue.push(lifecycle("u1", "cancelled"))).isInterrupted, true)
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("that fails ends, and the session goes on", () => {
    const dialogue = begun()
    const ended = only(
      dialogue.push(result({ is_error: true, terminal_reason: "api_error", result: "API Error: 400" }))
    )
    assert.deepInclude(ended.verdict.reason, { _tag: "AgentFailed", code: "api_error" })
    assert.strictEqual(ended.isInterrupted, undefined)
    assert.lengthOf(writes(dialogue.turn("again")), 1)
  })

  it("without a line of text has the text of its result, in every turn", () => {
    const dialogue = begun()
    const textOf = (outputs: ReadonlyArray<Output>) =>
      outputs.flatMap((output) => ("type" in output && output.type === "text" ? [output.text] : []))
    assert.deepStrictEqual(textOf(dialogue.push(result({ result: "one" }))), ["one"])
    dialogue.turn("go")
    dialogue.push(init())
    assert.deepStrictEqual(textOf(dialogue.push(result({ result: "two" }))), ["two"])
  })

  it("counts what is cumulative from the turn before, and nothing where that is not known", () => {
    const totals = (dialogue: Dialogue, cost: number, api: number) => {
      dialogue.turn("go")
      const outputs = dialogue.push(result({ total_cost_usd: cost, duration_api_ms: api }))
      const { report } = only(outputs.filter(isAction))
      return [report.totalCostUsd, report.apiDurationMs, tags(outputs).filter((tag) => tag === "notice").length]
    }
    const fresh = opened()
    assert.deepStrictEqual(totals(fresh, 1, 10), [1, 10, 0])
    assert.deepStrictEqual(totals(fresh, 3, 15), [2, 5, 0])
    const resumed = opened({ sessionId: session })
    assert.deepStrictEqual(totals(resumed, 1, 10), [undefined, undefined, 1])
    assert.deepStrictEqual(totals(resumed, 3, 15), [2, 5, 0])
  })
})

describe("a steer", () => {
  it("is refused without a running turn, and if it is not a text", () => {
    assert.isUndefined(opened().steer("more"))
    assert.isUndefined(begun().steer(""))
  })

  it("that is folded in has no result of its own", () => {
    const dialogue = begun()
    dialogue.steer("more")
    for (const state of ["queued", "started", "completed"]) {
      assert.deepStrictEqual(dialogue.push(lifecycle("u2", state)), [])
    }
    dialogue.push(result({ user_message_uuids: ["u1", "u2"] }))
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("that comes too late gives a notice when it starts, and is under way until then", () => {
    const dialogue = begun()
    dialogue.steer("more")
    assert.strictEqual(only(dialogue.push(result({ user_message_uuids: ["u1"] }))).isOwn, undefined)
    assert.strictEqual(dialogue.standing(), "working")
    dialogue.push(lifecycle("u2", "queued"))
    assert.deepInclude(only(dialogue.push(lifecycle("u2", "started"))), { type: "notice", kind: "queued" })
    dialogue.push(result({ user_message_uuids: ["u2"] }))
    assert.strictEqual(dialogue.standing(), "resting")
  })
})

describe("an interrupt", () => {
  it("is written once, and only while a turn is under way", () => {
    assert.deepStrictEqual(opened().interrupt(), [])
    const dialogue = begun()
    assert.lengthOf(writes(dialogue.interrupt()), 1)
    assert.deepStrictEqual(dialogue.interrupt(), [])
    dialogue.push(granted("reins-2", { still_queued: [] }))
    assert.deepStrictEqual(dialogue.interrupt(), [])
    const ended = only(dialogue.push(result(broken)))
    assert.deepInclude(ended, { isInterrupted: true })
    assert.strictEqual(ended.verdict.reason._tag, "Aborted")
  })

  it("that the turn was faster than has not interrupted it", () => {
    const dialogue = begun()
    dialogue.interrupt()
    const ended = only(dialogue.push(result()))
    assert.strictEqual(ended.verdict._tag, "Success")
    assert.strictEqual(ended.isInterrupted, undefined)
    dialogue.turn("again")
    assert.lengthOf(writes(dialogue.interrupt()), 1)
  })

  it("that missed its turn is written again when the turn starts", () => {
    const dialogue = opened()
    dialogue.turn("go")
    dialogue.interrupt()
    dialogue.push(lifecycle("u1", "queued"))
    dialogue.push(granted("reins-2", { still_queued: ["u1"] }))
    assert.lengthOf(writes(dialogue.push(lifecycle("u1", "started"))), 1)
    assert.deepInclude(only(dialogue.push(result(broken))), { isInterrupted: true })
    dialogue.turn("again")
    assert.deepStrictEqual(dialogue.push(lifecycle("u2", "started")), [])
  })

  it("that is refused can be tried again", () => {
    const dialogue = begun()
    dialogue.interrupt()
    dialogue.push(refused("reins-2", "no"))
    assert.lengthOf(writes(dialogue.interrupt()), 1)
  })

  it("by a denial is one, and another can still be written", () => {
    const dialogue = begun()
    dialogue.push(canUse("r1", "t1"))
    dialogue.decide("r1", { decision: "deny", message: "no", interrupt: true })
    assert.lengthOf(writes(dialogue.interrupt()), 1)
    assert.deepInclude(only(dialogue.push(result(broken))), { isInterrupted: true })
  })
})
