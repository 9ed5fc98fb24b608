/** A real process that holds a lease of a workspace's settings file. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { bundled } from "../../kit/bundled.ts"
import { environmentOf, type Workspace } from "./workspace.ts"

const program = await bundled(fileURLToPath(new URL("../../../fixtures/programs/settings-holds.mjs", import.meta.url)))

/** The process is gone at the end of the test, whatever it did. */
export const startHolder = (input: Workspace, ...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [program, input.directory, ...args], {
        env: environmentOf(input),
        stdio: ["pipe", "pipe", "inherit"]
      })
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const ended = once(child, "exit")
      return {
        child,
        line: Effect.promise(async () => (await lines.next()).value as unknown),
        ended: Effect.promise(async () => (await ended) as [code: number | null, signal: string | null])
      }
    }),
    ({ child, ended }) =>
      Effect.suspend(() => {
        if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
        return ended
      })
  )
