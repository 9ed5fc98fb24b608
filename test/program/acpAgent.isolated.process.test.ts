/** `--agent acp --command "…"`: any agent of the Agent Client Protocol, in runs and chats. Real processes. */
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { wordsOf } from "../../src/program/configured.ts"
import { runProgram } from "./programProcess.ts"

const agent = fileURLToPath(new URL("../../fixtures/programs/acp-agent.mjs", import.meta.url))
const acp = ["--agent", "acp", "--command", `'${process.execPath}' "${agent}" --acp`]

describe("an agent of the protocol", () => {
  it("runs a prompt", async () => {
    const { code, stdout, stderr } = await runProgram(["run", ...acp, "--output", "text", "hello"])
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "hello\n", stderr: "" })
  })

  it("holds a chat", async () => {
    const { code, stdout } = await runProgram(["chat", ...acp], { input: "one\ntwo\n" })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^● acp 9\.9 · session s1\n\none\n[\s\S]*\ntwo\n/)
  })

  it("fails as it failed, with its stderr", async () => {
    const { code, stdout, stderr } = await runProgram(["run", ...acp, "die"])
    expect({ code, stdout: stdout.trimEnd().split("\n").at(-1) }).toEqual({ code: 1, stdout: "half" })
    expect(stderr).toContain("boom: the disk is on fire")
  })
})

describe("the words of a command", () => {
  it.each([
    ["qwen --acp", ["qwen", "--acp"]],
    [" a\t b\n", ["a", "b"]],
    [`'/a b/c' "d \\"e\\" \\f" g\\ h`, ["/a b/c", 'd "e" \\f', "g h"]],
    [`a"b"'c'`, ["abc"]],
    [`''`, [""]],
    ["", []],
    [`"$HOME" \`id\` ; x`, ["$HOME", "`id`", ";", "x"]],
    ["'open", undefined]
  ])("%j", (text, words) => expect(wordsOf(text)).toEqual(words))
})
