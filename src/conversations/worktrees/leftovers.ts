/** Leftovers of worktrees, by killed processes or by hand: found for a report, and removed or finished when asked. */
import { readdir } from "node:fs/promises"
import { basename, join } from "node:path"
import { Effect, Result } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { WorktreeLeftover } from "../../contract/Worktrees.ts"
import { FileLocks } from "../../system/locks/fileLocks.ts"
import { findStateDirectory } from "../../system/locks/stateDirectory.ts"
import { finishApplying, isHalfApplied } from "../../system/worktrees/applyChanges.ts"
import { findRepository } from "../../system/worktrees/git.ts"
import { changeLockOf, isPresent, removeFiles } from "../../system/worktrees/lasting.ts"
import { openWorktree, type WorktreeContext } from "./openWorktree.ts"
import { allWorktrees, type WorktreeRow } from "./worktreeRows.ts"

const directories = Effect.gen(function* () {
  const folder = join(yield* findStateDirectory, "worktrees")
  const names = yield* Effect.promise(() => readdir(folder).catch(() => []))
  return names.map((name) => join(folder, name))
})

const kindOf = Effect.fn(...untraced("Leftovers.kindOf"))(function* (row: WorktreeRow, isThere: boolean) {
  const opened = yield* Effect.result(openWorktree(row))
  if (Result.isFailure(opened)) return "no_repository" as const
  if (row.state === "stored") return isThere ? ("stored" as const) : undefined
  if (row.state === "making") return "making" as const
  return (yield* isPresent(opened.success)) ? undefined : ("missing" as const)
})

export const findLeftovers = Effect.fn(...untraced("Leftovers.findLeftovers"))(function* ({ store }: WorktreeContext) {
  const rows = yield* allWorktrees(store)
  const present = new Set(yield* directories)
  const found: Array<WorktreeLeftover> = []
  for (const row of rows) {
    const kind = yield* kindOf(row, present.has(row.path))
    if (kind !== undefined) found.push({ kind, path: row.path, name: row.name })
    present.delete(row.path)
  }
  for (const path of present) found.push({ kind: "unknown", path })
  for (const top of new Set(rows.map((row) => row.top))) {
    const isHalf = yield* Effect.orElseSucceed(Effect.flatMap(findRepository(top), isHalfApplied), () => false)
    if (isHalf) found.push({ kind: "half_applied", path: top })
  }
  return found
})

const isFree = (file: string) =>
  Effect.scoped(Effect.flatMap(FileLocks, ({ tryLock }) => Effect.orElseSucceed(tryLock(file), () => false)))

/** Missing ones stay: their files are in git. Directories that no row names may be of another store, and stay, too. */
export const cleanLeftovers = Effect.fn(...untraced("Leftovers.cleanLeftovers"))(function* (context: WorktreeContext) {
  const rows = yield* allWorktrees(context.store)
  const done: Array<string> = []
  for (const { kind, path, name } of yield* findLeftovers(context)) {
    if (kind === "half_applied") {
      yield* Effect.flatMap(findRepository(path), finishApplying)
      done.push(`finished the changes that were half applied in ${path}`)
    }
    const row = rows.find((each) => each.path === path)
    if (kind !== "stored" || row === undefined) continue
    const worktree = yield* openWorktree(row)
    if (!(yield* isFree(changeLockOf(worktree)))) continue
    yield* removeFiles(worktree)
    done.push(`removed the files of ${name ?? basename(path)}, which are in git`)
  }
  return done
})
