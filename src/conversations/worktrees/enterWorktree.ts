/** The worktree in which a turn works: made at the first turn of its conversation, restored where its files are missing. */
import { isAbsolute, join, relative, resolve, sep } from "node:path"
import { Clock, Effect, Schedule } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { untraced } from "../../contract/untraced.ts"
import { findRepository, GitFailed, git, type Repository } from "../../system/worktrees/git.ts"
import {
  branchOf,
  checkOut,
  isPresent,
  type LastingWorktree,
  removeFiles,
  removeRefs,
  saveSnapshot,
  shareSnapshot,
  tipOf
} from "../../system/worktrees/lasting.ts"
import { isDirectory } from "../../system/worktrees/leftovers.ts"
import { type KeyParts, keyText } from "../turns/conversationKey.ts"
import type { Entered, WorktreeRequest } from "../turns/WorktreeEntry.ts"
import {
  holdWorktree,
  newPath,
  openWorktree,
  openWorktreeDirectory,
  type WorktreeContext,
  worktreeIn
} from "./openWorktree.ts"
import { setUp } from "./setUp.ts"
import { worktreeName } from "./worktreeName.ts"
import {
  addWorktree,
  allWorktrees,
  changeWorktree,
  infoOfWorktree,
  presentCount,
  removeWorktreeRow,
  type WorktreeRow,
  worktreesOf
} from "./worktreeRows.ts"

const defaultCount = 20
const defaultMegabytes = 5_000

const tooMany = (rows: ReadonlyArray<WorktreeRow>, most: number) => {
  const oldest = rows
    .filter(({ state }) => state !== "stored")
    .slice(-3)
    .map(({ name }) => name)
  const problem = `there are ${most} worktrees, as many as maxWorktrees allows: remove one (reins worktrees remove ${oldest[0] ?? "NAME"}); the last used are ${oldest.reverse().join(", ")}`
  return new GitFailed({ problem })
}

const topOf = ({ directory }: Repository) =>
  Effect.map(git({ workingDirectory: directory }, ["rev-parse", "--show-toplevel"]), ({ stdout }) =>
    stdout.replace(/\n$/, "")
  )

/** Refused before it is made: the next turns, which go on there by themselves, would fail, too. */
const refuseBound = ({ isBound, session }: WorktreeRequest, directory: string) => {
  if (!isBound || session === undefined || session === directory) return Effect.void
  const problem = `the session of this conversation can go on only in ${JSON.stringify(session)}: begin anew in a worktree with fresh, or go on without`
  return Effect.fail(new InvalidParams({ option: "worktree", problem }))
}

/** The row of the new worktree, from the commit that is checked out, or from the worktree of the forked conversation. */
const begin = Effect.fn(...untraced("EnterWorktree.begin"))(function* (
  { store }: WorktreeContext,
  request: WorktreeRequest,
  repository: Repository,
  forked: WorktreeRow | undefined
) {
  const { key, options = {} } = request
  const most = options.maxWorktrees ?? defaultCount
  if ((yield* presentCount(store)) >= most) return yield* tooMany(yield* allWorktrees(store), most)
  const name = worktreeName(key)
  const path = newPath(yield* openWorktreeDirectory, name, repository)
  if (forked === undefined) yield* refuseBound(request, resolve(path, repository.prefix))
  const worktree: LastingWorktree = { repository, name, path }
  if ((yield* tipOf(worktree)) !== undefined) {
    const branch = branchOf(name)
    const problem = `the branch ${branch} exists already, and is not that of a worktree here: rename it (git branch -m ${branch} OTHER), or give the conversation another name`
    return yield* new GitFailed({ problem })
  }
  const now = yield* Clock.currentTimeMillis
  const row: WorktreeRow = {
    conversation: keyText(key),
    gitDirectory: repository.gitDirectory,
    ...{ name, path, top: yield* topOf(repository) },
    base: forked?.base ?? repository.head,
    ...(forked?.applied === undefined ? {} : { applied: forked.applied }),
    ...{ state: "making", created: now, used: now }
  }
  yield* addWorktree(store, row)
  return row
})

/** The commit on which the branch begins; the files of a forked worktree become those of the new one. */
const beginningOf = Effect.fn(...untraced("EnterWorktree.beginningOf"))(function* (
  worktree: LastingWorktree,
  row: WorktreeRow,
  forked: WorktreeRow | undefined
) {
  if (forked === undefined) return row.base
  const source = yield* openWorktree(forked)
  if (yield* isPresent(source)) yield* saveSnapshot(source)
  yield* shareSnapshot(source, worktree)
  return (yield* tipOf(source)) ?? row.base
})

/** Another process may be changing it. */
const patience = { schedule: Schedule.spaced("250 millis"), times: 120 }

const holding = (worktree: LastingWorktree) =>
  Effect.retry(holdWorktree(worktree), { ...patience, while: ({ _tag }) => _tag === "WorktreeBusy" })

interface Making {
  readonly request: WorktreeRequest
  readonly worktree: LastingWorktree
  readonly row: WorktreeRow
  readonly forked: WorktreeRow | undefined
  /** The directory of the caller, and its place in the worktree. */
  readonly original: string
  readonly directory: string
}

const make = Effect.fn(...untraced("EnterWorktree.make"))(function* (
  { store }: WorktreeContext,
  { request: { options = {} }, worktree, row, forked, original, directory }: Making
) {
  yield* changeWorktree(store, row, { state: "making" })
  const commit = yield* beginningOf(worktree, row, forked)
  yield* checkOut(worktree, { begin: commit, maxMegabytes: options.maxMegabytes ?? defaultMegabytes })
  if (!(yield* isDirectory(directory))) {
    return yield* new GitFailed({ problem: `${JSON.stringify(worktree.repository.prefix)} is not in the last commit` })
  }
  yield* setUp(original, directory, options)
  yield* changeWorktree(store, row, { state: "ready" })
})

/** Removes what was made of it in vain. */
const undo = ({ store }: WorktreeContext, worktree: LastingWorktree, row: WorktreeRow) =>
  Effect.gen(function* () {
    yield* removeFiles(worktree)
    yield* removeRefs(worktree, yield* tipOf(worktree))
    yield* removeWorktreeRow(store, row)
  }).pipe(Effect.catch(({ message }) => Effect.logWarning("a worktree could not be removed", message)))

/** The directory of the person for one that may be in a worktree. */
const originalOf = (
  { directory, session }: Pick<WorktreeRequest, "directory" | "session">,
  rows: ReadonlyArray<WorktreeRow>
) => {
  const place = resolve(directory ?? session ?? rows[0]?.top ?? ".")
  for (const { path, top } of rows) {
    const inside = relative(path, place)
    if (inside === "" || !(isAbsolute(inside) || inside.split(sep)[0] === "..")) return join(top, inside)
  }
  return place
}

/** The worktree of a conversation for a directory of the person, with the place of the directory in it. */
export const findPlace = Effect.fn(...untraced("EnterWorktree.findPlace"))(function* (
  { store }: WorktreeContext,
  key: KeyParts,
  path: string
) {
  const rows = yield* worktreesOf(store, keyText(key))
  if (rows.length === 0) return undefined
  const original = originalOf({ directory: path, session: undefined }, rows)
  const found = yield* Effect.result(findRepository(original))
  if (found._tag === "Failure") return undefined
  const { gitDirectory, prefix } = found.success
  const row = rows.find((each) => each.gitDirectory === gitDirectory)
  return row === undefined ? undefined : { worktree: infoOfWorktree(row), directory: resolve(row.path, prefix) }
})

/** Undefined without a worktree: none was requested, and the conversation has none here. */
export const enterWorktree = Effect.fn(...untraced("EnterWorktree.enterWorktree"))(function* (
  context: WorktreeContext,
  request: WorktreeRequest
) {
  const { store } = context
  const { key, options } = request
  if (store.kind === "memory") {
    const problem = "needs a store in a file or on a server: a worktree lasts longer than this process"
    return options === undefined ? undefined : yield* new InvalidParams({ option: "worktree", problem })
  }
  const rows = yield* worktreesOf(store, keyText(key))
  const parents = request.parent === undefined || rows.length > 0 ? [] : yield* worktreesOf(store, request.parent)
  const isRequested = options !== undefined
  if (!isRequested && rows.length === 0 && parents.length === 0) return undefined
  const original = originalOf(request, [...rows, ...parents])
  const found = yield* Effect.result(findRepository(original))
  if (found._tag === "Failure") return isRequested ? yield* found.failure : undefined
  const repository = found.success
  const isHere = ({ gitDirectory }: WorktreeRow) => gitDirectory === repository.gitDirectory
  const [present, forked] = [rows.find(isHere), parents.find(isHere)]
  if (present === undefined && forked === undefined && !isRequested) return undefined
  const row = present ?? (yield* begin(context, request, repository, forked))
  const worktree = yield* worktreeIn(repository, row)
  const directory = resolve(row.path, repository.prefix)
  const isRestored = yield* Effect.scoped(
    Effect.gen(function* () {
      yield* holding(worktree)
      const used = yield* Clock.currentTimeMillis
      yield* changeWorktree(store, row, {
        used,
        ...((yield* isDirectory(row.top)) ? {} : { top: yield* topOf(repository) })
      })
      if (row.state === "ready" && (yield* isPresent(worktree))) return false
      const making = make(context, { request, worktree, row, forked, original, directory })
      yield* present === undefined ? Effect.onError(making, () => undo(context, worktree, row)) : making
      return present !== undefined && present.state !== "making"
    })
  )
  const save = Effect.gen(function* () {
    // A reader of the changes takes the files into the same commit.
    yield* holding(worktree)
    if (yield* isPresent(worktree)) yield* saveSnapshot(worktree)
  }).pipe(
    Effect.scoped,
    Effect.catch(({ message }) => Effect.logWarning(`the files of the worktree ${row.name} were not saved`, message))
  )
  return { directory, original, name: row.name, isRestored, save } satisfies Entered<Effect.Services<typeof save>>
})
