/** Refusals before anything is started, by name; the same for runs and live sessions. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { livePlan, plan } from "../../../../src/cli/pi/command.ts"
import { pi } from "../../../../src/cli/pi/index.ts"
import type { AgentExecuteParams } from "../../../../src/contract/AgentExecuteParams.ts"

const context = { env: {}, workingDirectory: "/workspace", privateDirectory: "/private" }
const id = "01a21991-ed61-7748-bcdb-a31b29610aff"

const refusalOf = (params: Partial<AgentExecuteParams>) => {
  const planned = plan({ prompt: "hello", ...params }, {}, context)
  return Result.isFailure(planned) ? planned.failure : undefined
}

describe("refuses", () => {
  const table: ReadonlyArray<readonly [string, Omit<Partial<AgentExecuteParams>, "prompt">, string]> = [
    ["a mode that would ask", { permissionMode: "default" }, "permissionMode"],
    ["a mode that would ask for all but edits", { permissionMode: "accept-edits" }, "permissionMode"],
    ["an empty session", { sessionId: "" }, "sessionId"],
    ["the beginning of a session's id", { sessionId: "01a21991" }, "sessionId"],
    ["a path instead of a session", { sessionId: "/tmp/2026_x.jsonl" }, "sessionId"],
    ["a path that ends with an id", { sessionId: `../${id}` }, "sessionId"],
    ["a session with a line break", { sessionId: `${id}\n` }, "sessionId"],
    ["a session like a flag", { sessionId: "--fork" }, "sessionId"],
    ["a fork of nothing", { forkSession: true }, "forkSession"],
    ["an empty model", { model: " " }, "model"],
    ["an effort that Pi would ignore", { effort: "ultra" }, "effort"],
    ["a flag that is an option", { extraArgs: ["--no-skills", "--model", "x"] }, "extraArgs"],
    ["a flag that breaks the output", { extraArgs: ["--mode", "text"] }, "extraArgs"],
    ["a flag that ends at once", { extraArgs: ["-h"] }, "extraArgs"],
    ["a flag that takes the next word for a prompt", { extraArgs: ["-p"] }, "extraArgs"],
    ["the end of all flags", { extraArgs: ["--", "x"] }, "extraArgs"],
    ["a directory's trust", { extraArgs: ["--approve"] }, "extraArgs"],
    ["another session", { extraArgs: ["--continue"] }, "extraArgs"],
    ["tools beside a plan", { permissionMode: "plan", extraArgs: ["-t", "bash"] }, "extraArgs"],
    ["an extension beside a plan", { permissionMode: "plan", extraArgs: ["-e", "a.ts"] }, "extraArgs"]
  ]

  it.each(table)("%s", (_, params, option) => {
    assert.deepInclude(refusalOf(params), { _tag: "InvalidParams", option })
    const live = livePlan(params, {}, context)
    assert.deepInclude(Result.isFailure(live) ? live.failure : undefined, { _tag: "InvalidParams", option })
  })

  it.each([" \n", "", "\ufeff"])("a prompt of blanks: %j", (prompt) => {
    assert.deepInclude(refusalOf({ prompt }), { _tag: "InvalidParams", option: "prompt" })
  })

  it("nothing of these", () => {
    for (const params of [
      { permissionMode: "plan" },
      { permissionMode: "bypass" },
      { sessionId: id.toUpperCase() },
      { extraArgs: ["-t", "bash", "-e", "a.ts"] }
    ] as const) {
      assert.isUndefined(refusalOf(params))
    }
  })

  it("with messages that say why and what to do", () => {
    assert.strictEqual(
      refusalOf({ permissionMode: "default" })?.message,
      'permissionMode: Pi never asks before it acts, so it cannot keep "default": use "plan", which can only read, or "bypass"'
    )
    assert.strictEqual(
      refusalOf({ sessionId: "01a21991" })?.message,
      'sessionId: "01a21991" is not the id of a session'
    )
    assert.strictEqual(
      refusalOf({ effort: "maximum" })?.message,
      'effort: "maximum" is not one of off, minimal, low, medium, high, xhigh, max'
    )
    assert.strictEqual(
      refusalOf({ extraArgs: ["--mode"] })?.message,
      "extraArgs: --mode is set by an option of its own"
    )
  })

  it("options that the CLI cannot support", () => {
    const missing = ["allowedTools", "disallowedTools", "maxTurns", "maxBudgetUsd", "outputSchema", "mcpServers"]
    for (const name of [...missing, "fallbackModel", "newSessionId", "additionalDirectories", "hooks"])
      assert.isFalse([...pi.supports].map(String).includes(name))
  })
})
