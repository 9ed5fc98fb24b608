/** A session that the CLI itself says is used: told as busy, and nothing else is. The words are those of Codex 0.169.0. */
import { assert, describe, it } from "vitest"
import { clis } from "../../../src/agents/Agents.ts"
import { asBusy } from "../../../src/agents/engine/supervise.ts"
import { AgentFailed, Exited, type FailureReason, Killed } from "../../../src/contract/AgentError.ts"

const sessionId = "01a2066b-b9b1-79f3-af3a-d8356b1f5ae8"
const words = (id = sessionId) =>
  `Error: thread/resume: thread/resume failed: thread ${id} already has an active writer (code -32600)`

const exited = new Exited({ exitCode: 1, category: "invalid_request", stderr: "" })
const refused = (detail: string) => new AgentFailed({ code: "thread_refused", category: "invalid_request", detail })

const tagOf = (failure: FailureReason | undefined, stderr = "", { cli = clis.codex, isNew = false } = {}) =>
  asBusy(cli, { sessionId: isNew ? undefined : sessionId, stderr }, { failure, exit: { code: 1 } }).failure?._tag

describe("the refusal of a session that another process uses", () => {
  it("is told as busy, of a run and of a live session", () => {
    assert.strictEqual(tagOf(exited, `2026 ERROR codex_core: thread-store conflict\n${words()}\n`), "SessionBusy")
    assert.strictEqual(tagOf(refused(`thread ${sessionId} already has an active writer`)), "SessionBusy")
    const { failure, exit } = asBusy(clis.codex, { sessionId, stderr: words() }, { failure: exited, exit: { code: 1 } })
    assert.strictEqual(failure?.message, `The session "${sessionId}" is used`)
    assert.deepStrictEqual(exit, { code: 1 })
  })

  it.each([
    ["another session", "Exited", tagOf(exited, words("01a2066b-0000-79f3-af3a-d8356b1f5ae8"))],
    ["a longer id", "Exited", tagOf(exited, words(`${sessionId}0`))],
    ["a new session", "Exited", tagOf(exited, words(), { isNew: true })],
    ["another failure", "Exited", tagOf(exited, "out of disk")],
    ["a death", "Killed", tagOf(new Killed({ signal: "SIGKILL", stderr: "" }), words())],
    ["what a model says", "AgentFailed", tagOf(refused("overloaded"), words())],
    ["another CLI", "Exited", tagOf(exited, words(), { cli: clis.claude })],
    ["a success", undefined, tagOf(undefined, words())]
  ])("is not one of %s", (_, expected, tag) => {
    assert.strictEqual(tag, expected)
  })
})
