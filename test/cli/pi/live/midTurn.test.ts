/** A turn of Pi that is steered or interrupted, in orders that no recording has. */
import { assert, describe, it } from "vitest"
import { aborted, agentEnd, agentStart, assertRests, begun, endOf, ends, message, opened } from "./talk.ts"

describe("a text in mid-turn", () => {
  it("is taken by the agent: one turn, one end", () => {
    const talk = begun()
    talk.steer("also this")
    assert.deepInclude(talk.lines.at(-1), { type: "prompt", message: "also this", streamingBehavior: "steer" })
    talk.hear({ type: "queue_update", steering: ["also this"], followUp: [] })
    talk.reply("prompt")
    talk.hear(...message("a"), ...message("b"), agentEnd)
    endOf(talk.tell())
    assertRests(talk)
  })

  it("that comes after the agent's end, and before Pi said so, is still one of the turn", () => {
    for (const isAnsweredFirst of [true, false]) {
      const talk = begun()
      const outputs = [...talk.hear(...message("a"), agentEnd)]
      talk.steer()
      if (isAnsweredFirst) outputs.push(...talk.reply("prompt"), ...talk.tellOnce())
      else outputs.push(...talk.tellOnce(), ...talk.reply("prompt"))
      assert.deepStrictEqual(ends(outputs), [])
      outputs.push(...talk.tell({ isStreaming: true }), ...talk.hear(agentStart, ...message("b"), agentEnd))
      assert.deepStrictEqual(ends(outputs), [])
      outputs.push(...talk.tell())
      // The empty one separates two messages.
      assert.deepStrictEqual(
        outputs.flatMap((output) => ("text" in output ? [output.text] : [])),
        ["a", "", "b"]
      )
      endOf(outputs)
      assertRests(talk)
    }
  })

  it("that was not taken up is told: it goes with the next turn", () => {
    const talk = begun()
    talk.steer()
    talk.reply("prompt")
    talk.hear(...message("a"), agentEnd)
    const outputs = talk.tell({ pendingMessageCount: 1 })
    assert.deepInclude(outputs[0], { type: "notice", kind: "queued" })
    endOf(outputs)
  })

  it("that is refused is a warning, and the turn goes on", () => {
    const talk = begun()
    talk.steer()
    const outputs = talk.reply("prompt", { success: false, error: "not now" })
    assert.deepStrictEqual(outputs, [{ type: "notice", kind: "warning", message: "The text was refused: not now" }])
    talk.hear(...message("a"), agentEnd)
    endOf(talk.tell())
  })

  it("is not taken in no turn, after an interrupt, or if it is blank", () => {
    assert.isUndefined(opened().dialogue.steer("more"))
    assert.isUndefined(begun().dialogue.steer(" "))
    const talk = begun()
    talk.interrupt()
    assert.isUndefined(talk.dialogue.steer("more"))
  })
})

describe("an interrupt", () => {
  it("ends the turn when the agent has stopped, once", () => {
    const talk = begun()
    talk.interrupt()
    assert.deepStrictEqual(talk.interrupt(), [])
    assert.deepStrictEqual(talk.open(), ["abort"])
    assert.deepStrictEqual(ends(talk.hear(...aborted("half"), agentEnd)), [])
    talk.reply("abort")
    const end = endOf(talk.tell())
    assert.deepInclude(end, { isInterrupted: true })
    assert.strictEqual(end.verdict.reason._tag, "Aborted")
    assertRests(talk)
  })

  it("that comes before the agent has started is repeated when it starts", () => {
    const talk = opened()
    talk.turn()
    talk.interrupt()
    talk.reply("abort")
    talk.reply("prompt")
    talk.tell({ isStreaming: true })
    assert.deepStrictEqual(talk.open(), [])
    talk.hear(agentStart)
    assert.deepStrictEqual(talk.open(), ["abort"])
    talk.hear(...aborted(), agentEnd)
    talk.reply("abort")
    assert.deepInclude(endOf(talk.tell()), { isInterrupted: true })
    assertRests(talk)
  })

  it("that crosses the start of the agent is repeated once its answer says that it has missed", () => {
    const talk = opened()
    talk.turn()
    talk.interrupt()
    talk.reply("prompt")
    talk.hear(agentStart)
    assert.deepStrictEqual(talk.open(), ["abort"])
    talk.reply("abort")
    assert.deepStrictEqual(talk.open(), ["abort"])
    talk.reply("abort")
    talk.hear(...aborted(), agentEnd)
    assert.deepInclude(endOf(talk.tell()), { isInterrupted: true })
    assertRests(talk)
  })

  it("whose answer overtakes the lines of the agent is not repeated for ever", () => {
    const talk = begun()
    talk.interrupt()
    // An extension holds up the lines; the agent itself has stopped.
    talk.reply("abort")
    assert.deepStrictEqual(talk.open(), [])
    talk.hear(...aborted(), agentEnd)
    assert.deepInclude(endOf(talk.tell()), { isInterrupted: true })
    assertRests(talk)
  })

  it("that comes too late leaves the turn as it was", () => {
    const talk = begun()
    talk.hear(...message("whole"), agentEnd)
    talk.interrupt()
    talk.reply("abort")
    const end = endOf(talk.tell())
    assert.deepStrictEqual(end.verdict, { _tag: "Success" })
    assert.isUndefined(end.isInterrupted)
  })

  it("writes nothing in no turn", () => {
    const talk = opened()
    talk.interrupt()
    assert.deepStrictEqual(talk.open(), [])
  })
})
