/** `reins run` and `reins demo` as people and scripts see them. Real processes. */
import { describe, expect, it } from "vitest"
import { eventsOf, resultOf } from "./printedEvents.ts"
import { runProgram, writeTemp } from "./programProcess.ts"

describe("demo", () => {
  it("shows a whole run, and says that no model is behind it", async () => {
    const { code, stdout, stderr } = await runProgram(["demo"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^● demo agent · demo \(no model\) · session [\da-f-]{36}\n/)
    expect(stdout).toContain(`✓ Run   node --version  → ${process.version}`)
    expect(stdout).toContain("no model is behind me")
    expect(stdout).toMatch(/\n✓ completed · 2 turns · \d+ in, \d+ out · \$0 · [\d.]+ m?s\n$/)
  })

  it("prints nothing but printable characters when piped", async () => {
    const { stdout } = await runProgram(["demo"])
    expect(stdout).toMatch(/^[^\0-\x09\x0b-\x1f\x7f-\x9f]+$/)
  })

  it("prints events as JSON: text joined is the text of the result, done is last", async () => {
    const { code, stdout, stderr } = await runProgram(["demo", "--json", "what is a rein?"])
    const result = resultOf(stdout)
    const text = eventsOf(stdout).map((event) => (event.type === "text" ? event.text : ""))
    expect({ code, stderr, outcome: result.outcome }).toEqual({ code: 0, stderr: "", outcome: "completed" })
    expect(text.join("")).toBe(result.text)
    expect(result.text).toContain("“what is a rein?”")
    expect(result).toMatchObject({ totalCostUsd: 0, numTurns: 2 })
  })

  it("resumes under the session id it is given", async () => {
    const { stdout } = await runProgram(["demo", "--json", "--resume", "abc-123", "go on"])
    expect(resultOf(stdout).sessionId).toBe("abc-123")
  })

  it.each([
    ["a switch does not swallow it", ["--json", "yes"], "", "yes"],
    ["after -- it may begin with -", ["--json", "--", "--version"], "", "--version"],
    ["- reads it from stdin", ["--json", "-"], "from\nstdin", "from stdin"]
  ])("takes a prompt: %s", async (_, args, input, quoted) => {
    const { stdout } = await runProgram(["demo", ...args], { input })
    expect(resultOf(stdout).text).toContain(`“${quoted}”`)
  })
})

it("takes a file along with the prompt", async () => {
  const { code, stdout } = await runProgram(["demo", "--json", "--attach", writeTemp("a, b.txt", "text"), "hello"])
  expect(code).toBe(0)
  expect(resultOf(stdout).text).toContain("“hello”")
})

describe("a run that cannot begin", () => {
  const notJson = writeTemp("not-json.json", "{")
  const noServers = writeTemp("no-servers.json", "[]")
  const sse = writeTemp("sse.json", JSON.stringify({ mcpServers: { a: { type: "sse", url: "http://x" } } }))
  const array = writeTemp("array.json", "[]")
  const textFile = writeTemp("text.png", "text")
  it.each([
    ["missing directory", ["--cwd", "/nowhere"], "/nowhere"],
    ["unreadable MCP file", ["--mcp-config", "/nowhere.json"], "--mcp-config /nowhere.json"],
    ["MCP file that is not JSON", ["--mcp-config", notJson], "not-json.json: no JSON, line 1 column 2"],
    ["MCP file without servers", ["--mcp-config", noServers], "mcpServers"],
    ["MCP server of another kind", ["--mcp-config", sse], '"sse"'],
    ["schema that is not an object", ["--output-schema", array], "--output-schema"],
    ["attachment that is not there", ["--attach", "/nowhere.png"], '"nowhere.png" cannot be read'],
    ["attachment that is not an image", ["--attach", textFile], "its bytes are text"],
    ["session id that looks like an option", ["--resume=-x"], "-x"]
  ])("%s: on stderr alone, exit 2", async (_, args, reported) => {
    const { code, stdout, stderr } = await runProgram(["run", "--json", ...args, "hi"])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/^reins run: .*\nHelp: reins run --help\n$/)
    expect(stderr).toContain(reported)
  })

  it("tells people how to install what is missing", async () => {
    const { code, stdout, stderr } = await runProgram(["run", "--command", "no-such-claude", "hi"])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(
      /^✗ "no-such-claude" was not found\. Install it: npm install .*\n {2}not installed\n\n✗ failed/
    )
  })
})
