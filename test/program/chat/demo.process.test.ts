/** `reins chat --agent demo`: what a live session is like, without a model and an account. A real process. */
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const program = fileURLToPath(new URL("../../../dist/program.js", import.meta.url))

it.each([
  ["allow", /^v\d+\.\d+/, false],
  ["deny", /not now/, true]
])("asks before it acts: %s", async (decision, output, isError) => {
  const args = [program, "chat", "--agent", "demo", "--json"]
  const child = spawn(process.execPath, args, { env: { ...process.env, REINS_DEMO_PACE_MS: "0" } })
  child.stdin.end(
    [
      { type: "turn", prompt: "hello" },
      decision === "allow" ? { type: "decide", decision } : { type: "decide", decision, message: "not now" }
    ]
      .map((command) => `${JSON.stringify(command)}\n`)
      .join("")
  )
  const events = (await text(child.stdout))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  const types = events.map(({ type }) => type).filter((type) => !["usage", "text", "thinking"].includes(type))
  expect(types).toEqual([
    "session",
    "tool_use",
    "permission_request",
    "permission_decision",
    "tool_result",
    "turn_done",
    "done"
  ])
  expect(events.find(({ type }) => type === "tool_result")).toMatchObject({
    output: expect.stringMatching(output),
    isError
  })
})
