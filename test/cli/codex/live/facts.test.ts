/** Events of recorded live sessions: facts, requests, usage, thoughts, failures. */
import { assert, describe, it } from "vitest"
import { allow, turn } from "./calls.ts"
import { actions, ofType, play } from "./player.ts"

describe("the events", () => {
  it("of the session is all its facts", () => {
    const [session] = ofType(play("two-approvals", {}, [turn(), allow, allow, allow]), "session")
    assert.deepInclude(session, {
      model: "gpt-5.5",
      workingDirectory: "/workspace",
      // The version of the recording.
      cliVersion: "0.169.0",
      permissionMode: "untrusted workspaceWrite"
    })
  })

  it("of requests is what is wanted", () => {
    const asks = actions(play("two-approvals", {}, [turn(), allow, allow, allow]), "Asked").map(({ ask }) => ask)
    assert.deepStrictEqual(
      asks.map(({ requestId, toolId, kind, command, paths }) => ({ requestId, toolId, kind, command, paths })),
      [
        { requestId: "0", toolId: "c2", kind: "command", command: "echo b", paths: undefined },
        { requestId: "1", toolId: "c1", kind: "command", command: "echo a", paths: undefined },
        { requestId: "2", toolId: "p_n1.txt", kind: "file_change", command: undefined, paths: ["/workspace/n1.txt"] }
      ]
    )
    assert.deepStrictEqual(asks[2]?.edits, [{ path: "/workspace/n1.txt", after: "hello\n" }])
  })

  it("of a turn's usage is the sum of its requests", () => {
    const [ended] = actions(play("two-approvals", {}, [turn(), allow, allow, allow]), "TurnEnded")
    const usage = { inputTokens: 200, outputTokens: 20, cacheReadTokens: 40, cacheWriteTokens: 60 }
    assert.deepStrictEqual(ended?.report, { usage })
  })

  it("of thoughts is the summary, its parts apart", () => {
    const thoughts = ofType(play("reasoning-deltas", {}, [turn()]), "thinking").map(({ text }) => text)
    assert.strictEqual(thoughts.join(""), "**Looking** more\n\nsecond")
  })

  it("of a failure is its status", () => {
    const [ended] = actions(play("error-401", {}, [turn()]), "TurnEnded")
    assert.deepInclude(ended?.verdict, { _tag: "Failure" })
    const reason = ended?.verdict._tag === "Failure" ? ended.verdict.reason : undefined
    assert.deepInclude(reason, { code: "http_401", category: "auth" })
  })

  it("of a server that is needed and does not start is the end", () => {
    const { outputs } = play("mcp-required-fails", {}, [])
    const [failed] = actions({ outputs }, "Failed")
    assert.deepInclude(failed?.reason, { code: "thread_refused", category: "invalid_request" })
  })
})
