/**
 * A gate of one's own: an agent that may change files starts only in a repository without uncommitted changes, so that
 * its work can be told from yours, and undone.
 *
 *     node examples/own-gate/main.ts "fix the typo in README.md"
 *
 * docs/gates-and-observers.md has all that a gate can do.
 */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { AgentError, createAgent, type PlainGate, Refused } from "reins/promise"

const changesIn = async (cwd: string) =>
  (await promisify(execFile)("git", ["status", "--porcelain"], { cwd })).stdout.trimEnd()

const cleanTree: PlainGate = {
  name: "clean tree",
  concerns: ["run", "session"], // not each turn: the agent's own changes would hold up the second one
  admit: async (start) => {
    if (start.type === "turn" || start.params.permissionMode === "plan") return undefined
    const changes = await changesIn(start.workingDirectory)
    if (changes !== "") {
      const problem = `commit or stash your changes first:\n${changes}`
      throw new Refused({ gate: "clean tree", problem, retryable: true })
    }
    // Nothing of the agent is left here, so nothing changes any more.
    return { left: async () => console.log(`Changed:\n${await changesIn(start.workingDirectory)}`) }
  }
}

const [prompt = "Fix a typo in README.md."] = process.argv.slice(2)
await using agent = createAgent("claude", { gates: [cleanTree] })
try {
  const { text } = await agent.run({ prompt, permissionMode: "accept-edits" })
  console.log(text)
} catch (error) {
  if (!(error instanceof AgentError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
