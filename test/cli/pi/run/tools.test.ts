/** Pi's tools: kind, title, and the outcome of a command. */
import { assert, describe, it } from "vitest"
import { pi } from "../../../../src/cli/pi/index.ts"
import { describeTool } from "../../../../src/cli/pi/run/tools.ts"
import { runLines } from "../../transcript.ts"
import { toolEnd } from "../wireLines.ts"

describe("tools", () => {
  it.each([
    ["bash", { command: "npm test\nsecond" }, "command", "npm test"],
    ["write", { path: "a.ts" }, "file_change", "a.ts"],
    ["edit", { path: "a.ts" }, "file_change", "a.ts"],
    ["read", { path: "a.ts" }, "read", "a.ts"],
    ["grep", { pattern: "x" }, "search", "x"],
    ["find", { pattern: "*.ts" }, "search", "*.ts"],
    ["ls", { path: "src" }, "search", "src"],
    ["ls", {}, "search", "ls"],
    ["of_an_extension", { path: "a" }, "other", "of_an_extension"],
    ["constructor", {}, "other", "constructor"]
  ])("%s %j is described", (name, input, kind, title) => {
    assert.deepStrictEqual<unknown>(describeTool(name, input), { kind, title })
  })

  it.each([
    ["a command that works", "bash", "x", false, 0],
    ["a command that fails", "bash", "x\n\nCommand exited with code 3", true, 3],
    ["a command without output that fails", "bash", "Command exited with code 127\n", true, 127],
    ["a command that prints the words, and another", "bash", "Command exited with code 3\nx", true],
    ["a command ended for its time", "bash", "Command timed out after 5 seconds", true],
    ["another tool with these words", "read", "Command exited with code 3", true],
    ["another tool that works", "read", "x", false]
  ] as const)("%s", (_, name, output, isError, exitCode?: number) => {
    const [event] = runLines(pi, [toolEnd("c", name, output, isError)]).events
    assert.deepInclude(event, { type: "tool_result", toolId: "c", output, isError })
    if (exitCode === undefined) assert.notProperty(event, "exitCode")
    else assert.deepInclude(event, { exitCode })
  })

  it.each([
    ["that fails", "bash", true, { exit_code: 7 }, 7],
    ["that works, whatever its last words", "bash", false, { exit_code: 0 }, 0],
    ["whose code is not a number", "bash", true, { exit_code: "7" }, 3],
    ["of an extension", "of_an_extension", true, { exit_code: 7 }, undefined]
  ] as const)(
    "a command %s has the code of its facts before that of its words",
    (_, name, isError, facts, expected) => {
      const [event] = runLines(pi, [toolEnd("c", name, "Command exited with code 3", isError, facts)]).events
      assert.strictEqual(event?.type === "tool_result" ? event.exitCode : "no result", expected)
    }
  )
})
