/** Stdout and stderr of a run: for scripts that read the one and people who read the other. */
import { describe, expect, it } from "vitest"
import { makeAnswer } from "../../src/program/show.ts"
import { runProgram, standIn, wire, writeTemp } from "./programProcess.ts"
import { done } from "./transcriptEvents.ts"

const answers = standIn(
  "answers",
  [
    wire.init,
    wire.text("I look first."),
    wire.tool("t1", "Bash", { command: "ls" }),
    `print({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "a.ts" }] } })`,
    `print({ type: "assistant", message: { id: "m2", content: [{ type: "text", text: "It is **a.ts**." }] } })`,
    wire.success
  ].join("\n")
)
const fails = standIn(
  "fails",
  `${wire.init}\n${wire.text("half an answer")}\nconsole.error("no more"); process.exit(3)`
)

const run = (command: string, ...args: ReadonlyArray<string>) =>
  runProgram(["run", "--command", command, ...args, "hi"])

describe("a completed run", () => {
  it("--output text: what was written after the last tool, as it was written", async () => {
    expect(await run(answers, "--output", "text")).toMatchObject({ code: 0, stdout: "It is **a.ts**.\n", stderr: "" })
  })

  it("--output json: the result", async () => {
    const { code, stdout, stderr } = await run(answers, "--output", "json")
    expect({ code, stderr, lines: stdout.split("\n").length }).toEqual({ code: 0, stderr: "", lines: 2 })
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "completed", sessionId: "s1", numTurns: 1 })
  })

  it("--output events: as --json", async () => {
    const types = (stdout: string) => stdout.match(/(?<=^\{"type":")\w+/gm)
    const { stdout } = await run(answers, "--output", "events")
    expect(types(stdout)).toEqual(types((await run(answers, "--json")).stdout))
    expect(types(stdout)).toContain("done")
  })
})

describe("a run that failed", () => {
  it("as a transcript: what happened on stdout, the failure on stderr", async () => {
    const { code, stdout, stderr } = await run(fails)
    expect(code).toBe(1)
    expect(stdout).toMatch(/half an answer\n+$/)
    expect(stderr).toMatch(/^✗ .*exit code 3[\s\S]* {2}stderr:\n {2}no more\n✗ failed · exited/)
  })

  it("--output text: nothing on stdout", async () => {
    const { code, stdout, stderr } = await run(fails, "--output", "text")
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^✗ .*exit code 3[\s\S]*no more\n✗ failed/)
  })

  it("--output json: the result on stdout, the failure on stderr, too", async () => {
    const { code, stdout, stderr } = await run(fails, "--output", "json")
    expect({ code, reason: JSON.parse(stdout).reason }).toEqual({ code: 1, reason: "exited" })
    expect(stderr).toMatch(/^✗ /)
  })

  it("--output events: its events, nothing on stderr", async () => {
    const { code, stdout, stderr } = await run(fails, "--output", "events")
    expect({ code, stderr, last: JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "").type }).toEqual({
      code: 1,
      stderr: "",
      last: "done"
    })
  })
})

describe("a run that was refused", () => {
  it.each([[[]], [["--output", "text"]], [["--output", "json"]], [["--output", "events"]], [["--json"]]])(
    "%j: nothing on stdout",
    async (form) => {
      const { code, stdout, stderr } = await run(answers, "--mcp-config", writeTemp("list.json", "[]"), ...form)
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(stderr).toMatch(/^reins run: --mcp-config .*\nHelp: reins run --help\n$/)
    }
  )
})

describe("what is piped to a prompt", () => {
  it("reaches the agent below it", async () => {
    const { code, stdout } = await runProgram(["demo", "--output", "text", "review"], { input: "+ a line\n" })
    expect(code).toBe(0)
    expect(stdout).toContain("“review <stdin> + a line </stdin>”")
  })
})

describe("the answer", () => {
  const text = (output: string) => ({ type: "text", text: output }) as const
  const tool = { type: "tool_use", toolName: "Bash", toolId: "t", input: {} } as const
  const answerOf = (...events: ReadonlyArray<Parameters<ReturnType<typeof makeAnswer>["onEvent"]>[0]>) => {
    const answer = makeAnswer()
    for (const event of events) answer.onEvent(event)
    const all = done({ text: "all text" })
    return answer.textOf(all.type === "done" ? all.result : expect.unreachable())
  }
  const voided = (characters: number) =>
    ({ type: "notice", kind: "text_voided", message: "", data: { characters } }) as const

  it.each([
    ["comes after the last tool", [text("a"), tool, text("b"), text("c")], "bc\n"],
    ["is all text where nothing came after it", [text("a"), tool], "all text\n"],
    ["has not what was taken back", [text("a"), tool, text("bcd"), voided(2)], "b\n"],
    ["is not that of a sub-agent", [text("a"), { ...text("sub"), parentToolId: "t" }], "a\n"]
  ] as const)("%s", (_, events, expected) => expect(answerOf(...events)).toBe(expected))

  it("by a schema is JSON", () => {
    const event = done({ text: '```json\n{"a":1}\n```', structuredOutput: { a: 1 } })
    expect(event.type === "done" && makeAnswer().textOf(event.result)).toBe('{"a":1}\n')
  })
})
