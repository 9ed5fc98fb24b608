/** Runs of `query` of `@anthropic-ai/claude-agent-sdk`. */
import { query } from "@anthropic-ai/claude-agent-sdk"
import { measureRuns } from "./manyRuns.mjs"
import { task } from "./measure.mjs"

await measureRuns(async () => {
  let reported = "nothing"
  const options = { pathToClaudeCodeExecutable: task.command, includePartialMessages: true }
  for await (const message of query({ prompt: "hello", options }))
    if (message.type === "result") reported = message.subtype
  return reported
})
