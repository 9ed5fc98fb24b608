/** The changes of a worktree as rows for people, and what each action does, in words; pure. Names of files are untrusted. */

import { plural } from "../../contract/text/amounts.ts"
import type { FileChange, WorktreeChanges } from "../../contract/Worktrees.ts"
import { oneLine } from "../format.ts"
import { paint, type Style, type Surface } from "../style.ts"

const shownFiles = 50

const letters: { readonly [Status in FileChange["status"]]: readonly [string, Style] } = {
  added: ["A", "green"],
  changed: ["M", "yellow"],
  deleted: ["D", "red"]
}

const countsOf = ({ added, deleted }: FileChange) => {
  if (added === undefined || deleted === undefined) return "binary"
  return [...(added > 0 ? [`+${added}`] : []), ...(deleted > 0 ? [`-${deleted}`] : [])].join(" ")
}

export const fileRows = (files: ReadonlyArray<FileChange>, surface: Surface): ReadonlyArray<string> => {
  const more = files.length - shownFiles
  const rows = files.slice(0, shownFiles).map((file) => {
    const [letter, style] = letters[file.status]
    const counts = countsOf(file)
    return `  ${paint(surface, style, letter)} ${oneLine(file.path)}${counts === "" ? "" : `  ${paint(surface, "dim", counts)}`}`
  })
  return [...rows, ...(more > 0 ? [`  … and ${more} more`] : [])]
}

const sum = (numbers: ReadonlyArray<number | undefined>) =>
  numbers.reduce<number>((total, number) => total + (number ?? 0), 0)

export const totalOf = (files: ReadonlyArray<FileChange>): string => {
  if (files.length === 0) return "no changes"
  const [added, deleted] = [sum(files.map((file) => file.added)), sum(files.map((file) => file.deleted))]
  return `${plural(files.length, "file")}, +${added} -${deleted}`
}

export const changeLines = (
  { worktree, files, commits, isApplied }: WorktreeChanges,
  surface: Surface,
  actions: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const ahead = commits === 0 ? [] : [`${plural(commits, "commit")} of its own`]
  const applied = isApplied && files.length > 0 ? ["applied"] : []
  const facts = [oneLine(worktree.branch), totalOf(files), ...applied, ...ahead, `for ${oneLine(worktree.repository)}`]
  return [
    `${paint(surface, "bold", oneLine(worktree.name))}  ${paint(surface, "dim", facts.join(" · "))}`,
    ...fileRows(files, surface),
    ...(files.length === 0 ? [] : actions)
  ]
}

/** The effects of the actions, in words; `command` is how each is called. */
export const actionLines = (
  { worktree, files }: WorktreeChanges,
  command: (action: "apply" | "commit" | "discard") => string
): ReadonlyArray<string> => [
  `${command("apply")}: writes ${files.length === 1 ? "it" : "these files"} to ${oneLine(worktree.repository)}, uncommitted; refuses if uncommitted work is in the way`,
  `${command("commit")}: commits ${files.length === 1 ? "it" : "them"} on ${oneLine(worktree.branch)} alone`,
  `${command("discard")}: takes ${files.length === 1 ? "it" : "them"} out of the worktree; git keeps a copy`
]
