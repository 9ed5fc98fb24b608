/** How a live session starts: the thread that is opened for given params, and the failure when Codex refuses. */
import { assert, describe, it } from "vitest"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import * as Peer from "./peer.ts"
import type { Json } from "./player.ts"

const { others, refused, tags } = Peer
const session = "01A1FA30-0000-7000-8000-000000000000"

describe("the handshake", () => {
  const untrusted = { cwd: "/workspace", approvalPolicy: "untrusted" }
  const writing = { ...untrusted, sandbox: "workspace-write" }
  const table: ReadonlyArray<readonly [string, AgentOpenParams, string, Json]> = [
    ["nothing", {}, "thread/start", writing],
    ["plan", { permissionMode: "plan" }, "thread/start", { ...untrusted, sandbox: "read-only" }],
    ["accept-edits", { permissionMode: "accept-edits" }, "thread/start", writing],
    [
      "bypass",
      { permissionMode: "bypass" },
      "thread/start",
      { cwd: "/workspace", approvalPolicy: "never", sandbox: "danger-full-access" }
    ],
    [
      "prompts",
      { model: "m", systemPrompt: "be", appendSystemPrompt: "also" },
      "thread/start",
      { ...writing, model: "m", baseInstructions: "be", developerInstructions: "also" }
    ],
    ["sessionId", { sessionId: session }, "thread/resume", { ...writing, threadId: session, excludeTurns: true }],
    [
      "forkSession",
      { sessionId: session, forkSession: true },
      "thread/fork",
      { ...writing, threadId: session, excludeTurns: true }
    ]
  ]

  it.each(table)("opens a thread: %s", (_, params, method, expected) => {
    const { start } = Peer.makePeer(params)
    // A new thread prints the raw call of each tool.
    const raw = method === "thread/start" ? { experimentalRawEvents: true } : {}
    assert.deepStrictEqual([start.method, start.params], [method, { ...expected, ...raw }])
  })

  it("offers functions of the host in a name space", () => {
    const { start } = Peer.makePeer({ tools: [Peer.add] })
    const [space] = start.params.dynamicTools
    const tool = { type: "function", name: "add", description: "adds", inputSchema: { properties: {}, type: "object" } }
    assert.deepStrictEqual([space.type, space.name, space.tools], ["namespace", "host", [tool]])
  })

  it("opens, and a notice says that a resumed session keeps its functions", () => {
    const { dialogue, open } = Peer.makePeer({ sessionId: session, tools: [Peer.add] })
    assert.strictEqual(dialogue.standing(), "opening")
    assert.deepStrictEqual(tags(open()), ["session", "notice warning", "Opened"])
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it.each([
    ["no rollout found for thread id x", "session_not_found"],
    ["thread x already has an active writer", "invalid_request"],
    ["whatever", "protocol"]
  ])("fails where it is refused: %s", (message, category) => {
    const { dialogue, start } = Peer.makePeer()
    const [failed] = others(dialogue.push(refused(start.id, message)))
    assert.deepInclude(failed.reason, { code: "thread_refused", category, detail: message })
  })
})
