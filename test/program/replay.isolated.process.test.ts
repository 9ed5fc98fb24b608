/** `reins replay` as people and scripts see it. Real processes. */
import { describe, expect, it } from "vitest"
import { eventsOf, resultOf } from "./printedEvents.ts"
import { runProgram, writeTemp } from "./programProcess.ts"

describe("replay", () => {
  const recording = [
    { type: "system", subtype: "init", session_id: "s", model: "m", claude_code_version: "2.1.99" },
    { type: "assistant", message: { id: "a", content: [{ type: "text", text: "Hello." }] }, session_id: "s" },
    { type: "result", subtype: "success", is_error: false, num_turns: 1, session_id: "s" }
  ]
    .map((line) => JSON.stringify(line))
    .join("\n")

  it("draws a recording, with no time in it", async () => {
    const { code, stdout } = await runProgram(["replay", writeTemp("recording.ndjson", recording)])
    expect(code).toBe(0)
    expect(stdout).toBe("● claude 2.1.99 · m · session s\n\nHello.\n\n✓ completed · 1 turn\n")
  })

  it("of what a run recorded gives the events of that run", async () => {
    const file = writeTemp("run.ndjson", "")
    const live = await runProgram(["demo", "--json", "--record", file, "hi"])
    const again = await runProgram(["replay", "--json", file])
    const story = (stdout: string) => eventsOf(stdout).filter(({ type }) => type !== "done")
    expect(story(again.stdout)).toEqual(story(live.stdout))
    expect(resultOf(again.stdout).text).toBe(resultOf(live.stdout).text)
  })

  it("of a file that is not there: exit 2, nothing on stdout", async () => {
    const { code, stdout, stderr } = await runProgram(["replay", "--json", "/nowhere.ndjson"])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain("reins replay: FILE: /nowhere.ndjson: the file does not exist\n")
  })
})
