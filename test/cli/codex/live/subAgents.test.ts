/** Sub-agents in a live session, as recorded with the real `codex app-server`, and what the recordings do not show. */
import { assert, describe, it } from "vitest"
import type { Output } from "../../../../src/cli/Live.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import { allow, deny } from "./calls.ts"
import * as Peer from "./peer.ts"
import { brief, type Json, type Moment, ofType, play, when } from "./player.ts"

const { lines, others, threadId } = Peer
const turn = when("Opened", (dialogue) => dialogue.turn("hi"))
const interrupt = when("Asked", (dialogue) => dialogue.interrupt())

/** Events with the call that they belong to in front; usage has tests of its own. */
const visible = (outputs: ReadonlyArray<Output>) =>
  outputs.flatMap((output: Json) => {
    if (output.type === "usage") return []
    const parent = output.parentToolId ?? output.ask?.parentToolId
    return brief({ outputs: [output] }).map((word) => (parent === undefined ? word : `${parent}> ${word}`))
  })

const command = "use s1 sleep 0.3; echo a"
const patch = "s2 add /workspace/n1.txt"

type Row = readonly [string, AgentOpenParams, ReadonlyArray<Moment>, ReadonlyArray<string>]

const rows: ReadonlyArray<Row> = [
  [
    "subagent",
    {},
    [turn, allow, allow],
    [
      ...["use spawn1 look around", "result spawn1 T: pending_init", "use wait1 wait"],
      ...[`spawn1> ${command}`, "spawn1> Asked", "spawn1> result s1 a"],
      ...[`spawn1> use ${patch}`, "spawn1> Asked", `spawn1> result ${patch}`],
      ...['spawn1> text "Sub answer."', "result wait1 T: completed, Sub answer.", 'text "All done."', "Success"]
    ]
  ],
  [
    "subagent-declined",
    {},
    [turn, deny],
    [
      ...["use spawn1 look around", "result spawn1 T: pending_init", "use wait1 wait"],
      ...[`spawn1> ${command}`, "spawn1> Asked", "spawn1> error s1 "],
      ...['spawn1> text "Sub answer."', "result wait1 T: completed, Sub answer.", 'text "All done."', "Success"]
    ]
  ],
  [
    "subagent-of-newer-model",
    { model: "gpt-6.1-sol" },
    [turn, allow],
    [
      // `/root/looker` is Codex's own name of a sub-agent, not a path of a machine.
      ...["use spawn1 /root/looker", "result spawn1 ", "use wait1 wait"],
      ...["spawn1> use X sleep 0.3; echo nested", "spawn1> Asked", "spawn1> result X nested"],
      ...['spawn1> text "Sub answer."', "result wait1 ", 'text "All done."', "Success"]
    ]
  ],
  [
    "subagent-interrupted",
    {},
    [turn, interrupt],
    [
      ...["use spawn1 look around", "result spawn1 T: pending_init", "use wait1 wait"],
      ...[`spawn1> ${command}`, "spawn1> Asked", "Withdrawn 0", "spawn1> error s1 ", "error wait1 did not finish"],
      "interrupted"
    ]
  ]
]

/** Ids that were made up by Codex. */
const plain = (word: string) => word.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "T").replace(/exec-T/, "X")

describe("a recorded session with a sub-agent", () => {
  it.each(rows)("%s", (name, params, moments, expected) => {
    const played = play(name, params, moments)
    const warnings = new Set(["session", "Opened", "notice warning"])
    assert.deepStrictEqual(
      visible(played.outputs)
        .filter((word) => !warnings.has(word))
        .map(plain),
      expected
    )
    assert.isEmpty(ofType(played, "unknown"))
    assert.strictEqual(played.standing, "resting")
    assert.sameDeepMembers(played.written.slice(3), played.recorded.slice(3))
  })
})

const of = (whose: string, message: Json) => ({ ...message, params: { ...message.params, threadId: whose } })
const spawn = { type: "collabAgentToolCall", id: "spawn", tool: "spawnAgent", prompt: "look", receiverThreadIds: ["S"] }

/** The turn `U` has started a sub-agent in the thread `S`, whose turn is `V`. */
const withAgent = (params: AgentOpenParams = {}) => {
  const dialogue = Peer.inTurn("U", params)
  dialogue.push(Peer.itemCompleted("U", { ...spawn, status: "completed" }))
  dialogue.push(of("S", Peer.turnStarted("V")))
  return dialogue
}
const began = of("S", Peer.itemStarted("V", Peer.command("c")))
const asks = of("S", Peer.asks("commandExecution", 7, "V", { itemId: "c", command: "echo hi" }))

describe("a sub-agent", () => {
  it("receives the reason of a denial", () => {
    const dialogue = withAgent()
    dialogue.push(began)
    dialogue.push(asks)
    const [steer, answer] = lines(dialogue.decide("7", { decision: "deny", message: "Not today." }))
    assert.deepInclude(steer.params, { threadId: "S", expectedTurnId: "V" })
    assert.match(steer.params.input[0].text, /echo hi.*Not today\./)
    assert.deepStrictEqual(answer.result, { decision: "decline" })
  })

  it("is asked no longer when the turn is over, and its calls are closed once", () => {
    const dialogue = withAgent()
    dialogue.push(began)
    dialogue.push(asks)
    const outputs = dialogue.push(Peer.turnCompleted("U"))
    assert.deepStrictEqual(
      lines(outputs).map(({ id, result }) => [id, result]),
      [[7, { decision: "cancel" }]]
    )
    assert.deepStrictEqual(visible(others(outputs)), ["Withdrawn 7", "spawn> error c did not finish", "Success"])
    assert.isEmpty(dialogue.push(of("S", Peer.content("V", "m", "late"))))
    assert.isEmpty(dialogue.push(of("S", Peer.itemStarted("V", Peer.command("c2")))))
    assert.deepStrictEqual(lines(dialogue.push(asks))[0]?.error.code, -32601)
    const [start] = lines(dialogue.turn("again"))
    dialogue.push({ id: start.id, result: { turn: { id: "W" } } })
    dialogue.push(Peer.turnStarted("W"))
    for (const id of ["c", "c2"]) {
      assert.isEmpty(dialogue.push(of("S", Peer.itemCompleted("V", Peer.command(id, { status: "completed" })))))
    }
    assert.deepStrictEqual(visible(dialogue.push(of("S", Peer.content("V", "m2", "later")))), ['spawn> text "later"'])
  })

  it("leaves commands that did not finish, and says how the others ended", () => {
    const dialogue = withAgent()
    dialogue.push(began)
    const end = (more: Json) => of("S", Peer.itemCompleted("V", Peer.command("c", { status: "completed", ...more })))
    const [abandoned] = others(dialogue.push(end({ exitCode: null })))
    assert.deepInclude(abandoned, { parentToolId: "spawn", output: "did not finish", isError: true })
    dialogue.push(began)
    const [finished] = others(dialogue.push(end({ exitCode: 0 })))
    assert.deepInclude(finished, { parentToolId: "spawn", isError: false, exitCode: 0 })
  })

  it("is not asked what Codex has taken back", () => {
    const dialogue = withAgent()
    dialogue.push(began)
    dialogue.push(asks)
    const outputs = dialogue.push(of("S", Peer.notify("serverRequest/resolved", { requestId: 7 })))
    assert.deepStrictEqual(visible(outputs), ["Withdrawn 7"])
    assert.isEmpty(dialogue.decide("7", { decision: "allow" }))
  })

  it("belongs to the call that began it, not to others that name it", () => {
    const dialogue = Peer.inTurn("U")
    for (const [id, tool] of [
      ["waiting", "wait"],
      ["spawn", "spawnAgent"],
      ["sending", "sendInput"]
    ]) {
      dialogue.push(Peer.itemCompleted("U", { ...spawn, id, tool, status: "completed" }))
    }
    dialogue.push(of("S", Peer.turnStarted("V")))
    assert.deepStrictEqual(visible(dialogue.push(of("S", Peer.content("V", "m", "words")))), ['spawn> text "words"'])
  })

  it("without a known call may act and ask, and its text is not part of the answer", () => {
    const dialogue = Peer.inTurn("U")
    dialogue.push(of("S", Peer.turnStarted("V")))
    assert.deepStrictEqual(visible(dialogue.push(began)), ["use c echo hi"])
    assert.deepStrictEqual(visible(dialogue.push(asks)), ["Asked"])
    assert.isEmpty(dialogue.push(of("S", Peer.content("V", "m", "words"))))
  })

  it("of a sub-agent comes under the call that started it", () => {
    const dialogue = withAgent()
    const call = { ...spawn, id: "inner", receiverThreadIds: ["S2"], status: "completed" }
    const [use] = others(dialogue.push(of("S", Peer.itemCompleted("V", call))))
    const [text] = others(dialogue.push(of("S2", Peer.turnStarted("X")))).concat(
      others(dialogue.push(of("S2", Peer.content("X", "m", "deep"))))
    )
    assert.deepStrictEqual([use.parentToolId, text.parentToolId], ["spawn", "inner"])
  })

  it("counts among the denials of the turn", () => {
    const dialogue = withAgent({ permissionMode: "plan" })
    dialogue.push(of("S", Peer.itemStarted("V", Peer.patch("p", "/workspace/a"))))
    const outputs = dialogue.push(of("S", Peer.asks("fileChange", 8, "V", { itemId: "p" })))
    assert.deepStrictEqual(lines(outputs)[0]?.result, { decision: "decline" })
    assert.deepStrictEqual(visible(others(outputs)), ["spawn> notice permission_denied"])
    const ended = others(dialogue.push(Peer.turnCompleted("U"))).at(-1)
    assert.deepStrictEqual(ended.report.permissionDenials, [{ toolName: "file_change", toolId: "p" }])
  })

  it("is interrupted with the turn, and is not when none is under way", () => {
    const dialogue = withAgent()
    const content = lines(dialogue.interrupt()).map(({ method, params }) => [method, params.threadId])
    assert.deepStrictEqual(content, [
      ["turn/interrupt", threadId],
      ["turn/interrupt", "S"],
      ["thread/backgroundTerminals/clean", "S"]
    ])
    dialogue.push(Peer.turnCompleted("U", "interrupted"))
    assert.isEmpty(dialogue.interrupt())
    const other = withAgent()
    other.push(of("S", Peer.turnCompleted("V")))
    assert.strictEqual(lines(other.interrupt()).length, 1)
  })
})
