/** The changes of a chat in its worktree, for people: names of files are texts of strangers, and bounded; pure. */
import { plural } from "../../contract/text/amounts.ts"
import { oneLine } from "../../contract/text/harmless.ts"
import type { WorktreeError } from "../../contract/WorktreeError.ts"
import type { FileChange, WorktreeChanges, WorktreeInfo } from "../../contract/Worktrees.ts"
import { code, literal } from "../../conversations/export/markdownText.ts"
import type { Button, ReplyPayload } from "../messages/ReplyPayload.ts"
import type { ChangesAction } from "./command.ts"

/** Actions that change something. */
export type ChangesAct = Exclude<ChangesAction, "show" | "patch">

const mostFiles = 30
const longestName = 120

/** On one line and harmless; the end of a long name is the part that tells. */
const nameOf = (path: string): string => {
  const line = oneLine(path)
  return line.length <= longestName ? line : `…${line.slice(1 - longestName).toWellFormed()}`
}

interface Sum {
  readonly added: number
  readonly deleted: number
}

export const sumOfFiles = (files: ReadonlyArray<FileChange>): Sum => ({
  added: files.reduce((sum, { added = 0 }) => sum + added, 0),
  deleted: files.reduce((sum, { deleted = 0 }) => sum + deleted, 0)
})

const countsOf = ({ added, deleted }: Sum) =>
  [...(added > 0 || deleted === 0 ? [`+${added}`] : []), ...(deleted > 0 ? [`−${deleted}`] : [])].join(" ")

const fileLine = ({ path, status, added, deleted = 0 }: FileChange): string =>
  `- ${status} ${code(nameOf(path))} ${added === undefined ? "(not text)" : countsOf({ added, deleted })}`

const these = (count: number) => (count === 1 ? "this file" : `these ${count} files`)

/** The effect of each action in words, by the number of files; plain text. */
export const actionWords = (
  { repository, branch }: Pick<WorktreeInfo, "repository" | "branch">,
  count: number
): Readonly<Record<ChangesAct, string>> => ({
  apply: `write ${these(count)} into ${nameOf(repository)}, not committed; nothing there that is uncommitted is overwritten`,
  commit: `commit ${these(count)} on the branch ${branch}; ${nameOf(repository)} stays as it is`,
  discard: `undo the changes of ${these(count)} in the worktree; git keeps a copy`
})

const labels: Readonly<Record<ChangesAct, string>> = { apply: "Apply", commit: "Commit", discard: "Discard" }
const changesActs = ["apply", "commit", "discard"] as const

/** Length of the beginning of a commit id in the data of a button. */
const idLength = 12
export const shortId = (commit: string): string => commit.slice(0, idLength)

const letters = { apply: "a", commit: "c", discard: "d", discardNow: "D", keep: "k" } as const
type Press = keyof typeof letters

const dataOf = (press: Press, commit: string): string => `w:${letters[press]}:${shortId(commit)}`

export interface ChangesPress {
  readonly press: Press
  /** Beginning of the id of the commit with the files that were shown. */
  readonly commit: string
}

/** Undefined for the data of another button. */
export const readChangesPress = (data: string): ChangesPress | undefined => {
  const [, letter, commit] = /^w:([acdDk]):([0-9a-f]{12})$/.exec(data) ?? []
  const press = (Object.keys(letters) as ReadonlyArray<Press>).find((name) => letters[name] === letter) // its own keys
  return press === undefined || commit === undefined ? undefined : { press, commit }
}

const aheadOf = ({ commits, worktree: { repository } }: WorktreeChanges) =>
  commits === 0 ? "" : `${plural(commits, "commit")} that ${code(nameOf(repository))} has not checked out`

/** @param how `mayAct`: adds the actions, as buttons if the channel has them, else as commands. */
export const changesReply = (
  changes: WorktreeChanges,
  { mayAct, hasButtons }: { readonly mayAct: boolean; readonly hasButtons: boolean }
): ReplyPayload => {
  const { worktree, files, commit, isApplied } = changes
  const ahead = aheadOf(changes)
  const branch = code(worktree.branch)
  if (files.length === 0) {
    const more = ahead === "" ? "" : ` It has ${ahead}.`
    return { text: `No changes on the branch ${branch} that the last commit does not have.${more}` }
  }
  const head = [
    plural(files.length, "changed file"),
    countsOf(sumOfFiles(files)),
    isApplied ? "applied" : "",
    ahead
  ].filter((part) => part !== "")
  const rest = files.length - mostFiles
  const lines = [
    `Branch ${branch}: ${head.join(", ")}`,
    ...files.slice(0, mostFiles).map(fileLine),
    ...(rest > 0 ? ["", `… and ${rest} more`] : [])
  ]
  if (!mayAct) return { text: [...lines, "", "Admins can apply, commit or discard them."].join("\n") }
  const words = actionWords(worktree, files.length)
  const actions = changesActs.map((act) => `- ${hasButtons ? labels[act] : `/changes ${act}`}: ${literal(words[act])}.`)
  const buttons = changesActs.map((act): Button => ({ label: labels[act], data: dataOf(act, commit) }))
  return { text: [...lines, "", ...actions].join("\n"), ...(hasButtons ? { buttons: [buttons] } : {}) }
}

/** The question before changes are discarded; without buttons, its answer is a command. */
export const discardQuestion = (
  { worktree, files, commit }: WorktreeChanges,
  { hasButtons }: { readonly hasButtons: boolean }
): ReplyPayload => {
  const text = `Discard: ${literal(actionWords(worktree, files.length).discard)}.`
  const label = `Discard ${plural(files.length, "file")}`
  if (!hasButtons) return { text: `${text}\nTo do it, send ${code(`/changes discard ${shortId(commit)}`)}` }
  const keep: Button = { label: "Keep", data: dataOf("keep", commit) }
  return { text: `${text} Really?`, buttons: [[{ label, data: dataOf("discardNow", commit) }, keep]] }
}

/** The result of an action, in plain text. */
export type ChangesDone =
  | { readonly act: "apply"; readonly files: number; readonly worktree: WorktreeInfo }
  | { readonly act: "commit"; readonly commit: string | undefined; readonly worktree: WorktreeInfo }
  | { readonly act: "discard"; readonly files: number; readonly worktree: WorktreeInfo }

export const doneText = (done: ChangesDone): string => {
  const { branch, repository } = done.worktree
  switch (done.act) {
    case "apply":
      return done.files === 0
        ? "Nothing to apply: the working tree has all of it."
        : `Applied ${plural(done.files, "file")} to ${nameOf(repository)}, not committed.`
    case "commit":
      return done.commit === undefined
        ? "Nothing to commit: all files are committed."
        : `Committed as ${done.commit.slice(0, 8)} on the branch ${branch}.`
    case "discard":
      return done.files === 0
        ? "Nothing to discard."
        : `Discarded the changes of ${plural(done.files, "file")}. Git keeps them as refs/reins/discarded/${done.worktree.name}.`
  }
}

/** In plain text, on one line. */
export const refusalText = ({ message, help }: WorktreeError): string =>
  oneLine(`${message.replace(/[.\s]*$/, ".")} ${help}`)

export const changesTexts = {
  none: "This chat has no worktree: its agent works in the directory itself.",
  notYet: "This chat has no changes yet: its worktree is made with its first message.",
  stale: "The changes are no longer those of that list, so nothing was done. They are now:",
  noPatch: "There is nothing to put into a patch.",
  patchTooLarge: "The patch is too large to be sent here.",
  kept: "Kept"
} as const
