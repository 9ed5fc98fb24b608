/** Runs of `process-tree`, which stands in for any CLI, starts all that a run can leave behind, and tells its pids. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert } from "vitest"
import { programPath } from "../../kit/agent.ts"
import { endAll, isAlive, until } from "../../kit/processes.ts"
import { makeDirectory } from "../../kit/temporary.ts"

/** Pids by roles. */
export type Tree = Readonly<Record<string, number>>

export const livingOf = (tree: Tree): ReadonlyArray<string> =>
  Object.entries(tree).flatMap(([role, pid]) => (isAlive(pid) ? [role] : []))

/** The input for building a tree, and its pids once it stands. Ends with the test what the run did not end. */
export const makeTree = Effect.gen(function* () {
  const file = join(yield* makeDirectory, "pids")
  const read = (): Tree => JSON.parse(readFileSync(file, "utf8"))
  yield* Effect.addFinalizer(() => Effect.sync(() => existsSync(file) && endAll(Object.values(read()))))
  return {
    baseArgs: [programPath("process-tree"), `--pids=${file}`],
    /** All of it lives; waits for that. */
    stands: Effect.gen(function* () {
      yield* until(() => existsSync(file), 60_000)
      const tree = read()
      assert.deepStrictEqual(livingOf(tree), Object.keys(tree))
    }),
    pids: read
  }
})
