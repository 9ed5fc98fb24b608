/** Calls in the middle of a turn, and their races with its start and its end: steers and interrupts. */
import { assert, describe, it } from "vitest"
import * as Peer from "./peer.ts"

const { lines, refused, tags, threadId } = Peer

describe("a steer", () => {
  it("is not possible before the turn has started, nor after it", () => {
    const { dialogue, open } = Peer.makePeer()
    open()
    assert.isUndefined(dialogue.steer("x"))
    dialogue.turn("go")
    assert.isUndefined(dialogue.steer("x"))
    assert.isUndefined(Peer.makePeer().dialogue.steer("x"))
  })

  it("that came too late starts a turn of its own, and is pending until then", () => {
    const dialogue = Peer.inTurn("U")
    const [steer] = lines(dialogue.steer("late"))
    assert.deepStrictEqual(tags(dialogue.push(Peer.turnCompleted("U"))), ["TurnEnded"])
    assert.strictEqual(dialogue.standing(), "working")
    const outputs = dialogue.push(refused(steer.id, "no active turn to steer"))
    assert.deepStrictEqual(tags(outputs), ["notice queued"])
    const [start] = lines(outputs)
    assert.deepStrictEqual([start.method, start.params.input[0].text], ["turn/start", "late"])
    dialogue.push({ id: start.id, result: { turn: { id: "V" } } })
    dialogue.push(Peer.turnStarted("V"))
    assert.deepStrictEqual(tags(dialogue.push(Peer.turnCompleted("V"))), ["TurnEnded"])
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("that was refused in the middle waits for the end", () => {
    const dialogue = Peer.inTurn("U")
    const [steer] = lines(dialogue.steer("late"))
    assert.isEmpty(dialogue.push(refused(steer.id, "not steerable")))
    const outputs = dialogue.push(Peer.turnCompleted("U"))
    assert.deepStrictEqual(tags(outputs), ["TurnEnded", "notice queued"])
    assert.strictEqual(lines(outputs)[0].params.input[0].text, "late")
  })
})

describe("an interrupt", () => {
  it("waits until the turn has started", () => {
    const { dialogue, open } = Peer.makePeer()
    open()
    assert.isEmpty(dialogue.interrupt())
    const [start] = lines(dialogue.turn("go"))
    assert.isEmpty(dialogue.interrupt())
    assert.isEmpty(dialogue.push({ id: start.id, result: { turn: { id: "U" } } }))
    const [interrupt] = lines(dialogue.push(Peer.turnStarted("U")))
    assert.deepStrictEqual([interrupt.method, interrupt.params], ["turn/interrupt", { threadId, turnId: "U" }])
  })

  const interrupted = () => {
    const dialogue = Peer.inTurn("U")
    dialogue.push(Peer.itemStarted("U", Peer.command("c")))
    dialogue.interrupt()
    const [list, clean] = lines(dialogue.push(Peer.turnCompleted("U", "interrupted")))
    return { dialogue, list, clean }
  }

  it("ends the turn when its commands are gone", () => {
    const { dialogue, list, clean } = interrupted()
    assert.isEmpty(dialogue.push({ id: list.id, result: { data: [{ itemId: "c" }] } }))
    assert.isEmpty(dialogue.push({ id: clean.id, result: {} }))
    assert.strictEqual(dialogue.standing(), "working")
    const outputs = dialogue.push(Peer.itemCompleted("U", Peer.command("c", { status: "failed", exitCode: -1 })))
    assert.deepStrictEqual(tags(outputs), ["tool_result", "TurnEnded"])
    assert.deepInclude(outputs[0], { isError: true, exitCode: -1 })
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("waits for no command that does not run, or cannot be ended", () => {
    const idle = interrupted()
    idle.dialogue.push({ id: idle.list.id, result: { data: [] } })
    assert.include(tags(idle.dialogue.push({ id: idle.clean.id, result: {} })), "TurnEnded")
    const refusing = interrupted()
    refusing.dialogue.push(refused(refusing.list.id, "no"))
    assert.include(tags(refusing.dialogue.push(refused(refusing.clean.id, "no"))), "TurnEnded")
  })
})
