/** Properties that hold whenever a host has died: of the person's working tree, of the repository, of the work of agents. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Picture, WorktreeRoom } from "./room.ts"

export interface Finding {
  readonly kind: string
  readonly detail: string
}

/** Text by path. */
export type Files = Readonly<Record<string, string | null>>

/** The index and HEAD are the same bytes; a file is as before, or as `applied` has it. */
export const untouched = (before: Picture, after: Picture, applied: Files): ReadonlyArray<Finding> => {
  const paths = [...new Set([...Object.keys(before.files), ...Object.keys(after.files)])]
  const changed = paths.filter((path) => {
    const present = after.files[path] ?? null
    return present !== (before.files[path] ?? null) && !(path in applied && applied[path] === present)
  })
  return [
    ...(before.index === after.index ? [] : [{ kind: "index", detail: "it has other bytes" }]),
    ...(before.head === after.head ? [] : [{ kind: "head", detail: "another commit is checked out" }]),
    ...changed.map((path) => ({
      kind: "file",
      detail: `${path} is ${JSON.stringify(after.files[path]?.slice(0, 40))}`
    }))
  ]
}

const readOf = (path: string) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

/** All texts of an agent are on the disk or in git. `now`: a turn that died may have written these instead. */
export const lostFiles = (
  { git, state }: WorktreeRoom,
  conversation: string,
  expected: Files,
  now: Files = {}
): ReadonlyArray<Finding> => {
  const folder = join(state, "reins/worktrees")
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(`${conversation}.`)) : []
  const last = ["refs/reins/worktrees/", "refs/reins/discarded/", "refs/heads/reins/"].map((ref) => ref + conversation)
  // Files discarded before are the second parent.
  const refs = [...last, ...["^2", "^2^2", "^2^2^2"].map((before) => `refs/reins/discarded/${conversation}${before}`)]
  const texts = (path: string) => [
    ...names.map((name) => readOf(join(folder, name, path))),
    ...refs.map((ref) => {
      try {
        return git("show", `${ref}:${path}`)
      } catch {
        return undefined
      }
    })
  ]
  return Object.entries(expected).flatMap(([path, text]) => {
    if (text === null) return []
    const found = texts(path)
    const isKept = found.includes(text) || (path in now && found.includes(now[path] ?? undefined))
    return isKept ? [] : [{ kind: "lost", detail: `${conversation}: ${path} is ${JSON.stringify(found)}` }]
  })
}

/** Git finds everything, and nothing half done is left. */
export const sound = ({ git, repository }: WorktreeRoom): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  try {
    git("fsck", "--connectivity-only", "--no-dangling")
    git("status", "--porcelain")
  } catch (error) {
    found.push({ kind: "git", detail: String(error).slice(0, 300) })
  }
  const left = readdirSync(join(repository, ".git")).filter((name) => name === "reins-apply" || name === "index.lock")
  return [...found, ...left.map((detail) => ({ kind: "left", detail }))]
}
