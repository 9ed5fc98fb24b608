/** Does one thing with a worktree on a store, and says that it is done: `turn`, or a method of the worktrees of the store. */
import { fileURLToPath } from "node:url"
import { createAgent, openStore, WorktreeError } from "reins/promise"

export type Operation = "turn" | "apply" | "commit" | "discard" | "remove" | "changes"

export interface Job {
  readonly operation: Operation
  readonly conversation: string
  readonly repository: string
  readonly store: string
  /** For a turn: files by path. */
  readonly files: Readonly<Record<string, string | null>>
}

const job: Job = JSON.parse(process.argv[2] ?? "")
const { operation, conversation, repository, files } = job
const store = await openStore({ directory: job.store })
const cli = fileURLToPath(new URL("../../../fixtures/programs/edits.mjs", import.meta.url))

const turn = async () => {
  const agent = createAgent("claude", { store, command: process.execPath, baseArgs: [cli], killGrace: 200 })
  try {
    await agent.run({ conversation, prompt: JSON.stringify({ files }), workingDirectory: repository, worktree: true })
  } finally {
    await agent.close()
  }
}

process.stdout.write("begun\n")
try {
  await (operation === "turn" ? turn() : store.worktrees[operation]({ conversation }))
  process.stdout.write("done\n")
} catch (error) {
  process.stdout.write(error instanceof WorktreeError ? `refused ${error.reason._tag}\n` : `broke ${String(error)}\n`)
}
await store.close()
