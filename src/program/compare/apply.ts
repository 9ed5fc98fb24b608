/** `reins compare --apply NAME`: applies the changes of an agent, from the last comparison here, to the directory. */
import { Console, Effect, Option } from "effect"
import { plural } from "../../contract/text/amounts.ts"
import { untraced } from "../../contract/untraced.ts"
import { applyChanges } from "../../system/worktrees/applyChanges.ts"
import { findRepository } from "../../system/worktrees/git.ts"
import { failWith, refuse } from "../exit.ts"
import { listed, oneLine } from "../format.ts"
import { marks } from "../style.ts"
import { readChanges } from "./savedChanges.ts"

const shownPaths = 20

const pathRows = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const more = paths.length - shownPaths
  return [
    ...paths.slice(0, shownPaths).map((path) => `  ${oneLine(path)}`),
    ...(more > 0 ? [`  … and ${more} more`] : [])
  ]
}

const changed = (name: string, paths: ReadonlyArray<string>): string =>
  [
    `nothing was applied: ${plural(paths.length, "file")} that ${name} has changed, too, ${paths.length === 1 ? "has" : "have"} changes that are not committed:`,
    ...pathRows(paths),
    "Commit or stash them first."
  ].join("\n")

const conflicting = (name: string, paths: ReadonlyArray<string>): string =>
  [
    `nothing was applied: the last commits have changed ${plural(paths.length, "file")} of ${name}, too, and the changes do not fit:`,
    ...pathRows(paths),
    "git cherry-pick of the commit that compare --json names merges them."
  ].join("\n")

export const applyKept = Effect.fn(...untraced("Apply.applyKept"))(
  function* (name: string, cwd: Option.Option<string>) {
    const agent = name.trim().toLowerCase()
    const repository = yield* findRepository(Option.getOrElse(cwd, () => "."))
    const stored = yield* readChanges(repository.gitDirectory)
    const changes = Object.hasOwn(stored, agent) ? stored[agent] : undefined
    if (changes === undefined) {
      const names = Object.keys(stored)
      const why =
        names.length === 0
          ? "no comparison has left changes here: reins compare … --permission-mode accept-edits"
          : `has left no changes in the last comparison; ${listed(names, "and")} ${names.length === 1 ? "has" : "have"}`
      return yield* refuse("compare", [`--apply ${agent}: ${why}`])
    }
    if (changes.paths.length === 0) return yield* Console.log(`${agent} has changed nothing`)
    yield* applyChanges(repository, changes)
    yield* Console.log(
      [
        `${marks.ok} applied the changes of ${agent}: ${plural(changes.paths.length, "file")}`,
        ...pathRows(changes.paths)
      ].join("\n")
    )
  },
  (work, name) =>
    Effect.catchTags(work, {
      FilesChanged: ({ paths }) => failWith(changed(name, paths), 1),
      ChangesConflict: ({ paths }) => failWith(conflicting(name, paths), 1),
      GitFailed: ({ problem }) => failWith(`nothing was applied: ${problem}`, 1),
      StateUnusable: ({ problem }) => failWith(problem, 1)
    })
)
