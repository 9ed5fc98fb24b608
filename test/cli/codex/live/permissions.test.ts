/** Decisions about Codex's requests: by the permission mode, or by the caller, once and in time. */
import { assert, describe, it } from "vitest"
import type { PermissionMode } from "../../../../src/contract/AgentExecuteParams.ts"
import * as Peer from "./peer.ts"
import type { Json } from "./player.ts"

const { lines, refused, tags } = Peer

describe("a permission mode", () => {
  const request = (mode: PermissionMode, item: Json, method: string, more: Json = {}) => {
    const dialogue = Peer.inTurn("U", { permissionMode: mode, additionalDirectories: ["/other"] })
    dialogue.push(Peer.itemStarted("U", item))
    const outputs = dialogue.push(Peer.asks(method, 0, "U", { itemId: item.id, ...more }))
    return [...tags(outputs), ...lines(outputs).map(({ result }) => result.decision)]
  }
  const patched = (mode: PermissionMode, path: string) => request(mode, Peer.patch("p", path), "fileChange")
  const commanded = (mode: PermissionMode, reason: string | null = null) =>
    request(mode, Peer.command("c"), "commandExecution", { command: "/bin/bash -lc 'echo hi'", reason })
  const declined = ["notice permission_denied", "decline"]

  it.each([
    ["default", "/workspace/a.txt", ["Asked"]],
    ["plan", "/workspace/a.txt", declined],
    ["accept-edits", "/workspace/a.txt", ["accept"]],
    ["accept-edits", "/workspace/deep/a.txt", ["accept"]],
    ["accept-edits", "a.txt", ["accept"]],
    ["accept-edits", "/other/a.txt", ["accept"]],
    ["accept-edits", "/workspace/../a.txt", ["Asked"]],
    ["accept-edits", "/workspaces/a.txt", ["Asked"]],
    ["accept-edits", "/workspace/.git/hooks/pre-commit", ["Asked"]],
    ["accept-edits", "/workspace/.codex/config.toml", ["Asked"]],
    ["bypass", "/etc/passwd", ["accept"]]
  ] as const)("%s, a patch of %s", (mode, path, expected) => {
    assert.deepStrictEqual(patched(mode, path), [...expected])
  })

  it.each([
    ["default", null, ["Asked"]],
    ["default", "please", ["Asked"]],
    ["plan", null, ["Asked"]],
    ["plan", "please", declined],
    ["accept-edits", null, ["Asked"]],
    ["bypass", null, ["accept"]]
  ] as const)("%s, a command with the reason %s", (mode, reason, expected) => {
    assert.deepStrictEqual(commanded(mode, reason), [...expected])
  })

  it("asks where the content of a patch is unknown", () => {
    assert.deepStrictEqual(request("accept-edits", { ...Peer.patch("p", "a"), changes: [] }, "fileChange"), ["Asked"])
  })

  it("that was changed holds from the next turn on, as the model does", () => {
    const { dialogue, open } = Peer.makePeer()
    open()
    assert.deepStrictEqual(tags(dialogue.change("1", { _tag: "Model", model: "big" })), ["Changed"])
    dialogue.change("2", { _tag: "PermissionMode", permissionMode: "bypass" })
    const [start] = lines(dialogue.turn("go"))
    const changed = { model: "big", approvalPolicy: "never", sandboxPolicy: { type: "dangerFullAccess" } }
    assert.deepInclude(start.params, changed)
    dialogue.push({ id: start.id, result: { turn: { id: "U" } } })
    dialogue.push(Peer.turnCompleted("U"))
    assert.notProperty(lines(dialogue.turn("go"))[0].params, "model")
  })
})

describe("a decision", () => {
  const waiting = () => {
    const dialogue = Peer.inTurn("U")
    dialogue.push(Peer.itemStarted("U", Peer.command("c")))
    dialogue.push(Peer.asks("commandExecution", 0, "U", { itemId: "c", command: "echo" }))
    return dialogue
  }

  it("with a message of its own sends it before the answer", () => {
    const [steer, answer] = lines(waiting().decide("0", { decision: "deny", message: "Use blue." }))
    assert.strictEqual(steer.method, "turn/steer")
    assert.include(steer.params.input[0].text, "Use blue.")
    assert.deepStrictEqual(answer.result, { decision: "decline" })
  })

  it("whose message came too late gives a notice, and starts no turn", () => {
    const dialogue = waiting()
    const [steer] = lines(dialogue.decide("0", { decision: "deny", message: "Use blue." }))
    assert.deepStrictEqual(tags(dialogue.push(refused(steer.id, "no active turn to steer"))), ["notice info"])
  })

  it("is given once", () => {
    const dialogue = waiting()
    assert.lengthOf(lines(dialogue.decide("0", { decision: "allow" })), 1)
    assert.isEmpty(dialogue.decide("0", { decision: "allow" }))
  })

  it("is not wanted where Codex has taken the request back", () => {
    const dialogue = waiting()
    assert.deepStrictEqual(tags(dialogue.push(Peer.notify("serverRequest/resolved", { requestId: 0 }))), ["Withdrawn"])
    assert.isEmpty(dialogue.decide("0", { decision: "allow" }))
  })

  it("is not wanted at the end of the turn", () => {
    const outputs = waiting().push(Peer.turnCompleted("U"))
    assert.deepStrictEqual(tags(outputs), ["Withdrawn", "tool_result", "TurnEnded"])
  })
})
