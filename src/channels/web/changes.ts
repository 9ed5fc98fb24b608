/** The changes of conversations in their worktrees, as JSON for the page: read by everyone listed, acted on by admins. */
import { Effect } from "effect"
import { isAtLeast } from "../../bridge/access/AccessOptions.ts"
import { actionWords, sumOfFiles } from "../../bridge/commands/changesText.ts"
import type { Conversation } from "../../bridge/messages/Conversation.ts"
import type { ChangesSight, PersonRole } from "../../bridge/messages/Sight.ts"
import { present } from "../../contract/present.ts"
import { untraced } from "../../contract/untraced.ts"
import type { WorktreeError } from "../../contract/WorktreeError.ts"
import type { FileChange, WorktreeChanges } from "../../contract/Worktrees.ts"
import { type Failing, type Problem, problem, problems } from "./problem.ts"
import type { ChangesWish } from "./requestBodies.ts"

/** Bounds of a list: of files, and of the characters of their names. */
const mostFiles = 5_000
const longestNames = 1_000_000
/** Bound of the text of a file's difference. */
const mostBytes = 200_000

const onlyAdmins = problem(403, "Only admins apply, commit or discard changes.", "Ask an admin to do it.")
const stale = problem(
  409,
  "The changes are no longer those that were shown, so nothing was done.",
  "Look at them again: they are shown anew."
)

const refused = ({ reason, message, help }: WorktreeError): Problem =>
  reason._tag === "StoreUnavailable" ? problems.store() : problem(409, `${message.replace(/[.\s]*$/, ".")}`, help)

const firstFiles = (files: ReadonlyArray<FileChange>): ReadonlyArray<FileChange> => {
  let length = 0
  const over = files.findIndex(({ path }, at) => {
    length += path.length
    return at >= mostFiles || length > longestNames
  })
  return over === -1 ? files : files.slice(0, over)
}

const listOf = ({ worktree, files, commit, commits, isApplied }: WorktreeChanges, mayAct: boolean) => {
  const { branch, repository } = worktree
  const listed = firstFiles(files)
  const words = actionWords(worktree, files.length)
  return {
    ...{ branch, repository, commit, commits, isApplied, mayAct, words },
    ...{ count: files.length, ...sumOfFiles(files) },
    files: listed
  }
}

/** `role` is that of the person who asks. Returns JSON. */
export const answerChanges = Effect.fn(...untraced("Changes.answerChanges"))(function* (
  changes: ChangesSight,
  conversation: Conversation,
  role: PersonRole,
  wish: ChangesWish
): Failing<string> {
  const mayAct = isAtLeast(role, "admin")
  switch (wish.do) {
    case "read": {
      const found = yield* Effect.mapError(changes.read(conversation), refused)
      return JSON.stringify(found === undefined ? {} : listOf(found, mayAct))
    }
    case "diff": {
      const { commit, path } = wish
      const found = yield* Effect.mapError(changes.diff(conversation, { commit, path, maxBytes: mostBytes }), refused)
      if (found === undefined) return yield* stale
      const isText = found.file.added !== undefined
      return JSON.stringify(present({ isText, text: found.text }))
    }
    case "apply":
    case "commit":
    case "discard": {
      if (!mayAct) return yield* onlyAdmins
      const { do: act, commit, message } = wish
      const acted = yield* Effect.mapError(changes.act(conversation, { act, commit, message }), refused)
      if (acted._tag === "Done") return JSON.stringify({ text: acted.text })
      return yield* acted._tag === "Stale" ? stale : problem(409, "This conversation has no worktree.")
    }
  }
})
