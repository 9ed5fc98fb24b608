// A host that may open no more files opens a session with a tool, has its files again, and opens another.
import { closeSync, openSync } from "node:fs"
import { AgentError, type CliId, createAgent } from "reins/promise"

const [id = "", command = ""] = process.argv.slice(2)
const agent = createAgent(id as CliId, { command }) // the test names one
const tool = { name: "double", description: "", inputSchema: {}, run: () => Promise.resolve("") }

const failed = async () => {
  const error = await agent.open({ tools: [tool] }).catch((error: unknown) => error)
  if (!(error instanceof AgentError)) return String(error)
  const { _tag, message, retryable } = error.reason
  return { _tag, message, retryable }
}

const files: Array<number> = []
try {
  for (;;) files.push(openSync("/dev/null", "r"))
} catch {
  // No more are allowed.
}
const first = await failed()
for (const file of files) closeSync(file)
console.log(JSON.stringify([first, await failed()]))
process.exit()
