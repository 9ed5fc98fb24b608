/** Nothing foreign that the program prints, as it is started, steers a terminal or hides in it. */
import { describe, expect, it } from "vitest"
import { unseenIn } from "../kit/foreignText.ts"
import { runProgram, standIn, wire } from "./programProcess.ts"

const evil = "\x1b]0;x\x07\x1b[31m\u202e\u200b\u{e0041}\x9b2J"

const talker = standIn(
  "talks-foreign",
  `print({ type: "system", subtype: "init", model: "m${evil}", cwd: "/", tools: [] })
   ${wire.tool("t", `Bash${evil}`, { command: `ls${evil}` })}
   ${wire.text(evil)}
   ${wire.success}`
)

describe("what the program says of foreign text", () => {
  it.each([
    ["a flag", ["run", `--agnt${evil}`, "x"]],
    ["a command", [`rum${evil}`]],
    ["a prompt like a flag", ["run", `-v ${evil}`]],
    ["a program that is not there", ["run", "--command", `/nowhere/${evil}`, "x"]],
    ["an agent", ["run", "--command", talker, "x"]]
  ])("%s", async (_, args) => {
    const { stdout, stderr } = await runProgram(args)
    expect(unseenIn(stdout + stderr)).toEqual([])
    expect(stdout + stderr).toContain("\\u202e")
  })

  it("an agent, as JSON, which has the value that was meant", async () => {
    const { stdout } = await runProgram(["run", "--json", "--command", talker, "x"])
    expect(unseenIn(stdout)).toEqual([])
    const lines = stdout.trimEnd().split("\n")
    expect(lines.map((line): unknown => JSON.parse(line))).toContainEqual({ type: "text", text: evil })
  })
})
