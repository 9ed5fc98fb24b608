/** Lists the worktrees of conversations, reads their changes, and applies, commits or discards them. */
import { Effect, Predicate, Result, Schedule } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { untraced } from "../../contract/untraced.ts"
import { ChangedSince, UnknownWorktree } from "../../contract/WorktreeError.ts"
import type { FileChange, OfSeenChanges, WorktreeChanges, WorktreeRef } from "../../contract/Worktrees.ts"
import { applyChanges } from "../../system/worktrees/applyChanges.ts"
import { diffOfFile, filesBetween, patchBetween } from "../../system/worktrees/changes.ts"
import { GitFailed, git } from "../../system/worktrees/git.ts"
import {
  appliedCommits,
  branchOf,
  commitOnBranch,
  commitsAhead,
  isPresent,
  keepApplied,
  keepDiscarded,
  type LastingWorktree,
  newestBase,
  removeFiles,
  removeRefs,
  resetTo,
  saveSnapshot,
  snapshotOf,
  tipOf
} from "../../system/worktrees/lasting.ts"
import { conversationKey, keyText } from "../turns/conversationKey.ts"
import { holdWorktree, openWorktree, refuseAtWork, type WorktreeContext } from "./openWorktree.ts"
import type { FileDiff, WorktreeViews } from "./WorktreeViews.ts"
import { allWorktrees, changeWorktree, infoOfWorktree, removeWorktreeRow, type WorktreeRow } from "./worktreeRows.ts"

const shortest = 3
const nameOf = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

/** By its conversation, its name or its branch, or the beginning of a name. */
const findWorktree = Effect.fn(...untraced("ChangeWorktrees.findWorktree"))(function* (
  { store }: WorktreeContext,
  ref: WorktreeRef
) {
  const rows = yield* allWorktrees(store)
  const others = rows.slice(0, 10).map(({ name }) => name)
  if (!Predicate.isString(ref)) {
    const conversation = Predicate.hasProperty(ref, "conversation") ? ref.conversation : undefined
    const key = conversationKey(conversation)
    if (Result.isFailure(key)) return yield* key.failure
    const row = rows.find((each) => each.conversation === keyText(key.success))
    return row ?? (yield* new UnknownWorktree({ worktree: nameOf(key.success.join(" / ")), others }))
  }
  const own = (row: WorktreeRow) =>
    [row.name, branchOf(row.name), row.path].includes(ref) || row.conversation === JSON.stringify([ref])
  const found = rows.filter(own)
  const begun = found.length > 0 || ref.length < shortest ? found : rows.filter(({ name }) => name.startsWith(ref))
  const [row, second] = begun
  if (row === undefined) return yield* new UnknownWorktree({ worktree: nameOf(ref), others })
  if (second !== undefined && found.length !== 1) {
    const problem = `can be ${begun.map(({ name, top }) => `${name} of ${JSON.stringify(top)}`).join(" or ")}: give more of its name, or its path`
    return yield* new InvalidParams({ option: "worktree", problem })
  }
  return row
})

interface Files {
  /** The commit with all files. */
  readonly commit: string
  /** The commit that is checked out. */
  readonly head: string
}

/** Its files as a commit, from the disk or from git. */
const filesOf = Effect.fn(...untraced("ChangeWorktrees.filesOf"))(function* (worktree: LastingWorktree) {
  if (yield* isPresent(worktree)) return (yield* saveSnapshot(worktree)) satisfies Files
  const tip = yield* tipOf(worktree)
  const commit = (yield* snapshotOf(worktree)) ?? tip
  if (commit === undefined) {
    const problem = `the files of ${worktree.name} are gone, and its branch ${branchOf(worktree.name)}, too: remove it (reins worktrees remove ${worktree.name})`
    return yield* new GitFailed({ problem })
  }
  return { commit, head: tip ?? commit } satisfies Files
})

/** The same, unless the caller has seen others. */
const seenFiles = Effect.fn(...untraced("ChangeWorktrees.seenFiles"))(function* (
  worktree: LastingWorktree,
  { expected }: OfSeenChanges = {}
) {
  const files = yield* filesOf(worktree)
  if (expected === undefined || files.commit === expected) return files
  return yield* new ChangedSince({ worktree: worktree.name })
})

/** Whether two commits have the same files. */
const isSame = ({ repository }: LastingWorktree, one: string, other: string) =>
  Effect.isSuccess(
    git({ workingDirectory: repository.directory }, ["diff", "--quiet", "--no-ext-diff", "--no-textconv", one, other])
  )

/** The commit to which the changes are relative. A merge or rebase onto newer work of the person begins anew. */
const baseOf = Effect.fn(...untraced("ChangeWorktrees.baseOf"))(function* (
  { store }: WorktreeContext,
  row: WorktreeRow,
  worktree: LastingWorktree,
  { head }: Files
) {
  const base = yield* newestBase(worktree, row.base, head)
  if (base === row.base) return { base, applied: row.applied }
  yield* changeWorktree(store, row, { base, applied: null })
  return { base, applied: undefined }
})

/** The changed files that the last commit of the person does not have already. */
const newFiles = Effect.fn(...untraced("ChangeWorktrees.newFiles"))(function* (
  { repository }: LastingWorktree,
  base: string,
  commit: string
) {
  const place = { workingDirectory: repository.directory }
  const files = yield* filesBetween(place, base, commit)
  if (files.length === 0 || base === repository.head) return files
  const missing = new Set((yield* filesBetween(place, repository.head, commit)).map(({ path }) => path))
  return files.filter(({ path }) => missing.has(path))
})

export const readChanges = Effect.fn(...untraced("ChangeWorktrees.readChanges"))(function* (
  context: WorktreeContext,
  ref: WorktreeRef,
  { patch = false }: { readonly patch?: boolean | undefined } = {}
) {
  const row = yield* findWorktree(context, ref)
  const worktree = yield* openWorktree(row)
  // Another reader, or the end of a turn, has it for a moment.
  const held = Effect.retry(holdWorktree(worktree), {
    while: ({ _tag }) => _tag === "WorktreeBusy",
    schedule: Schedule.spaced("100 millis"),
    times: 100
  })
  const files = yield* Effect.scoped(Effect.andThen(held, filesOf(worktree)))
  const { base, applied } = yield* baseOf(context, row, worktree, files)
  const place = { workingDirectory: worktree.repository.directory }
  const text = patch ? yield* patchBetween(place, base, files.commit) : undefined
  const changes: WorktreeChanges = {
    worktree: infoOfWorktree(row),
    base,
    commit: files.commit,
    files: yield* newFiles(worktree, base, files.commit),
    isApplied: applied !== undefined && (yield* isSame(worktree, applied, files.commit)),
    commits: yield* commitsAhead(worktree, files.head),
    ...(text === undefined ? {} : { patch: text })
  }
  return changes
})

const isCommitId = (text: string) => /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text)

/** The difference of one file between two commits of its changes. */
export const readDiff = Effect.fn(...untraced("ChangeWorktrees.readDiff"))(function* (
  context: WorktreeContext,
  ref: WorktreeRef,
  request: Parameters<WorktreeViews["diff"]>[1]
) {
  const { repository } = yield* openWorktree(yield* findWorktree(context, ref))
  const place = { workingDirectory: repository.directory }
  const { base, commit, path } = request
  if (!isCommitId(base) || !isCommitId(commit)) return undefined
  const file = (yield* filesBetween(place, base, commit)).find((each) => each.path === path)
  if (file === undefined) return undefined
  const text = file.added === undefined ? undefined : yield* diffOfFile(place, request)
  const diff: FileDiff = { file, ...(text === undefined ? {} : { text }) }
  return diff
})

/** Runs while no other process changes it, and no turn runs in it. */
const changing = <A, E, R>(
  context: WorktreeContext,
  ref: WorktreeRef,
  work: (row: WorktreeRow, worktree: LastingWorktree) => Effect.Effect<A, E, R>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const row = yield* findWorktree(context, ref)
      const worktree = yield* openWorktree(row)
      yield* holdWorktree(worktree)
      yield* refuseAtWork(context, row)
      return yield* work(row, worktree)
    })
  )

/** To the working tree of the person. Returns the files that were applied. */
export const applyWorktree = (context: WorktreeContext, ref: WorktreeRef, condition?: OfSeenChanges) =>
  changing(
    context,
    ref,
    Effect.fnUntraced(function* (row, worktree) {
      const files = yield* seenFiles(worktree, condition)
      const { base, applied } = yield* baseOf(context, row, worktree, files)
      const place = { workingDirectory: worktree.repository.directory }
      const versions = yield* appliedCommits(worktree, applied)
      const paths = yield* applyChanges(worktree.repository, { base, commit: files.commit, applied: versions })
      if (applied === undefined || !(yield* isSame(worktree, applied, files.commit))) {
        yield* changeWorktree(context.store, row, { applied: yield* keepApplied(worktree, files.commit, applied) })
      }
      const known = new Map((yield* filesBetween(place, base, files.commit)).map((file) => [file.path, file]))
      return paths.map((path): FileChange => known.get(path) ?? { path, status: "changed" })
    })
  )

/** The commit that was made; undefined if all files are committed. */
export const commitWorktree = (
  context: WorktreeContext,
  ref: WorktreeRef,
  { message, ...condition }: OfSeenChanges & { readonly message?: string | undefined } = {}
) =>
  changing(
    context,
    ref,
    Effect.fnUntraced(function* (row, worktree) {
      if (!(yield* isPresent(worktree))) {
        const problem = `the files of ${row.name} are not on the disk: its next turn restores them, then commit`
        return yield* new GitFailed({ problem })
      }
      const { commit } = yield* seenFiles(worktree, condition)
      const text = message?.trim() ?? ""
      return yield* commitOnBranch(worktree, commit, text === "" ? `Changes of the conversation ${row.name}` : text)
    })
  )

/** Sets files and branch back to the beginning. Returns a commit with the discarded files. */
export const discardWorktree = (context: WorktreeContext, ref: WorktreeRef, condition?: OfSeenChanges) =>
  changing(
    context,
    ref,
    Effect.fnUntraced(function* (row, worktree) {
      if (!(yield* isPresent(worktree))) {
        const problem = `the files of ${row.name} are not on the disk: remove it with its changes (reins worktrees remove ${row.name} --discard)`
        return yield* new GitFailed({ problem })
      }
      const files = yield* seenFiles(worktree, condition)
      const { base } = yield* baseOf(context, row, worktree, files)
      const discarded = yield* resetTo(worktree, { snapshot: files.commit, commit: base })
      yield* saveSnapshot(worktree)
      // Applied files stay as they are in the working tree of the person.
      yield* changeWorktree(context.store, row, { applied: null })
      return discarded
    })
  )

/** The remains of a removed worktree: nothing, or its branch and files in git, from which its next turn restores it. */
type Removed = "removed" | "stored"

/** Removes its files. Changes that were not applied stay in git, unless they are discarded. */
export const removeWorktreeOf = Effect.fn(...untraced("ChangeWorktrees.removeWorktreeOf"))(function* (
  context: WorktreeContext,
  ref: WorktreeRef,
  { discard = false }: { readonly discard?: boolean | undefined } = {}
) {
  const { store } = context
  const found = yield* findWorktree(context, ref)
  const opened = yield* Effect.result(openWorktree(found))
  if (Result.isFailure(opened)) {
    // Its repository is gone, so that nothing can be restored.
    if (!discard) return yield* opened.failure
    yield* removeWorktreeRow(store, found)
    return "removed" satisfies Removed
  }
  return yield* changing(
    context,
    ref,
    Effect.fnUntraced(function* (row, worktree) {
      const files = yield* Effect.result(filesOf(worktree))
      if (Result.isFailure(files) && !discard) return yield* files.failure
      const isLost = Result.isFailure(files)
      const base = isLost ? row.base : (yield* baseOf(context, row, worktree, files.success)).base
      if (isLost || discard || (yield* newFiles(worktree, base, files.success.commit)).length === 0) {
        if (!isLost) yield* keepDiscarded(worktree, files.success.commit)
        yield* removeFiles(worktree)
        yield* removeRefs(worktree, yield* tipOf(worktree))
        yield* removeWorktreeRow(store, row)
        return "removed" satisfies Removed
      }
      yield* changeWorktree(store, row, { state: "stored" })
      yield* removeFiles(worktree)
      return "stored" satisfies Removed
    })
  )
})
