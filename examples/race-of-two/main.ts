/**
 * Asks two agents the same question, and takes the first good answer; the other agent is ended at once.
 *
 *     node examples/race-of-two/main.ts "Which file has the entry point? Only its path."
 *
 * The question is one whose answer can be checked: a path that is there. Both agents may only read, so they can share
 * this directory; docs/several-agents.md says how agents that write get one each.
 */
import { existsSync } from "node:fs"
import { AgentsError, createAgents } from "reins/promise"

const [prompt = "Which file has the entry point of this project? Only its path."] = process.argv.slice(2)

await using agents = createAgents(["claude", "codex"])
try {
  const { agent, result, others } = await agents.race(
    { prompt, permissionMode: "plan", timeouts: { total: "3 minutes" } },
    { accept: ({ result }) => existsSync(result.text.trim()) }
  )
  for (const { agent, result, error } of others) console.error(error?.message ?? `${agent}: not ${result.text.trim()}`)
  console.log(`${agent}: ${result.text.trim()}`)
} catch (error) {
  if (!(error instanceof AgentsError)) throw error
  console.error(error.message, error.help)
  process.exitCode = 1
}
