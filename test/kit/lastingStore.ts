/** A store in a file of the test, for what a store in memory refuses: worktrees outlive their process. */
import { join } from "node:path"
import { Effect } from "effect"
import { Store } from "../../src/conversations/store/Store.ts"
import { makeDirectory } from "./temporary.ts"

export const lastingStore = Effect.map(makeDirectory, (directory) =>
  Store.layerFile({ directory: join(directory, "store") })
)
