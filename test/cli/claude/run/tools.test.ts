/** Tool names and inputs → kind and title. */
import { assert, describe, it } from "vitest"
import { describeTool } from "../../../../src/cli/claude/run/tools.ts"
import type { ToolKind } from "../../../../src/contract/ToolEvent.ts"

const table: ReadonlyArray<readonly [string, unknown, ToolKind, string]> = [
  ["Bash", { command: "echo hi", description: "say hi" }, "command", "echo hi"],
  ["BashOutput", { bash_id: "b1" }, "command", "b1"],
  ["KillShell", { shell_id: "s1" }, "command", "s1"],
  ["TaskStop", { task_id: "t1" }, "command", "t1"],
  ["Edit", { file_path: "/a.ts", old_string: "x" }, "file_change", "/a.ts"],
  ["MultiEdit", { file_path: "/a.ts" }, "file_change", "/a.ts"],
  ["Write", { file_path: "/b.ts", content: "…" }, "file_change", "/b.ts"],
  ["NotebookEdit", { notebook_path: "/n.ipynb" }, "file_change", "/n.ipynb"],
  ["Read", { file_path: "/c.ts" }, "read", "/c.ts"],
  ["Glob", { pattern: "**/*.ts", path: "/src" }, "search", "**/*.ts"],
  ["Grep", { pattern: "needle" }, "search", "needle"],
  ["LS", { path: "/src" }, "search", "/src"],
  ["ToolSearch", { query: "select:Read" }, "search", "select:Read"],
  ["WebSearch", { query: "news" }, "web", "news"],
  ["WebFetch", { url: "https://x.example", prompt: "sum up" }, "web", "https://x.example"],
  ["web_search", { query: "news" }, "web", "news"],
  ["TodoWrite", { todos: [] }, "plan", "TodoWrite"],
  ["TodoRead", {}, "plan", "TodoRead"],
  ["ExitPlanMode", { plan: "# Plan" }, "plan", "ExitPlanMode"],
  ["EnterPlanMode", {}, "plan", "EnterPlanMode"],
  ["AskUserQuestion", { questions: [] }, "question", "AskUserQuestion"],
  ["Task", { description: "look", prompt: "…", subagent_type: "Explore" }, "subagent", "look"],
  ["Agent", { prompt: "…", subagent_type: "Explore" }, "subagent", "Explore"],
  ["mcp__tiny__add", { a: 1 }, "mcp", "tiny: add"],
  ["mcp__my_server__get__all", {}, "mcp", "my_server: get__all"],
  ["Skill", { name: "x" }, "other", "Skill"],
  ["Nope", {}, "other", "Nope"],
  ["toString", {}, "other", "toString"],
  ["mcp__", {}, "other", "mcp__"]
]

describe("describeTool", () => {
  it.each(table)("%s %j is %s: %s", (name, input, kind, title) => {
    assert.deepStrictEqual(describeTool(name, input), { kind, title })
  })

  it.each([
    [{}],
    [{ command: "" }],
    [{ command: "  \n" }],
    [{ command: 1 }],
    [{ __unparsedToolInput: { raw: "{", len: 1 } }],
    [null],
    [undefined],
    ["echo hi"]
  ])("an input that tells nothing leaves the name: %j", (input) => {
    assert.deepStrictEqual(describeTool("Bash", input), { kind: "command", title: "Bash" })
  })

  it("a title is one line of at most 300 characters", () => {
    assert.strictEqual(describeTool("Bash", { command: "\n  first\nsecond" }).title, "first")
    assert.strictEqual(describeTool("Bash", { command: "x".repeat(300) }).title, "x".repeat(300))
    assert.strictEqual(describeTool("Bash", { command: "x".repeat(301) }).title, `${"x".repeat(299)}…`)
  })
})
