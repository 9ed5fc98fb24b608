/** A directory of the test that is gone after it. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

export const makeDirectory = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "test-")))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)
