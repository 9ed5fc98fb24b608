/** The rows of `worktrees`, of this home alone: the files are on its machine. */
import { isAbsolute } from "node:path"
import { Effect } from "effect"
import { present } from "../../contract/present.ts"
import type { WorktreeInfo, WorktreeState } from "../../contract/Worktrees.ts"
import { branchOf } from "../../system/worktrees/lasting.ts"
import { countIn, textIn, wordIn } from "../store/columns.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { keyOfText } from "../turns/conversationKey.ts"

export interface WorktreeRow {
  /** The text of its key. */
  readonly conversation: string
  /** The directory of git that all worktrees of the repository share. */
  readonly gitDirectory: string
  readonly name: string
  readonly path: string
  /** The working tree of the person. */
  readonly top: string
  /** The commit on which it was made. */
  readonly base: string
  /** The commit with the files that were applied last. */
  readonly applied?: string
  readonly state: WorktreeState
  readonly created: number
  readonly used: number
}

const states = ["making", "ready", "stored"] as const

/** Undefined for a row that this version cannot read. */
const worktreeOfRow = (row: object): WorktreeRow | undefined => {
  const [conversation, gitDirectory] = [textIn(row, "conversation"), textIn(row, "git_directory")]
  const [name, path, top, base] = ["name", "path", "top", "base"].map((column) => textIn(row, column))
  const [state, created, used] = [wordIn(row, "state", states), countIn(row, "created"), countIn(row, "used")]
  if (conversation === undefined || gitDirectory === undefined || name === undefined || path === undefined)
    return undefined
  if (top === undefined || base === undefined || state === undefined) return undefined
  if (created === undefined || used === undefined) return undefined
  // Others may write to a store on a server: neither an option of git nor a path may come from there.
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name) || !isAbsolute(path) || !isAbsolute(top)) return undefined
  if (![base, textIn(row, "applied") ?? base].every((id) => /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(id)))
    return undefined
  const applied = present({ applied: textIn(row, "applied") })
  return { conversation, gitDirectory, name, path, top, base, state, created, used, ...applied }
}

const readable = (rows: ReadonlyArray<object>) => rows.flatMap((row) => worktreeOfRow(row) ?? [])

/** The last used first. */
export const allWorktrees = ({ sql, read, home }: OpenStore) =>
  read(Effect.map(sql<object>`select * from worktrees where home = ${home} order by used desc, name`, readable))

export const worktreesOf = ({ sql, read, home }: OpenStore, conversation: string) =>
  read(
    Effect.map(
      sql<object>`select * from worktrees where home = ${home} and conversation = ${conversation} order by used desc`,
      readable
    )
  )

/** Number of those with files on the disk. */
export const presentCount = ({ sql, read, home }: OpenStore) =>
  read(
    Effect.map(
      sql<object>`select count(*) as n from worktrees where home = ${home} and state <> 'stored'`,
      ([row = {}]) => countIn(row, "n") ?? 0
    )
  )

export const addWorktree = ({ sql, transact, home }: OpenStore, { gitDirectory, applied, ...row }: WorktreeRow) =>
  transact(
    sql`insert into worktrees ${sql.insert({ ...row, home, git_directory: gitDirectory, applied: applied ?? null })}`
  )

type RowKey = Pick<WorktreeRow, "conversation" | "gitDirectory">

export const removeWorktreeRow = ({ sql, transact, home }: OpenStore, { conversation, gitDirectory }: RowKey) =>
  transact(
    sql`delete from worktrees
      where home = ${home} and conversation = ${conversation} and git_directory = ${gitDirectory}`
  )

export const changeWorktree = (
  { sql, transact, home }: OpenStore,
  { conversation, gitDirectory }: RowKey,
  changes: Partial<Record<"state" | "path" | "top" | "base" | "applied", string | null>> & { readonly used?: number }
) =>
  transact(
    sql`update worktrees set ${sql.update(changes)}
      where home = ${home} and conversation = ${conversation} and git_directory = ${gitDirectory}`
  )

export const infoOfWorktree = (row: WorktreeRow): WorktreeInfo => ({
  conversation: keyOfText(row.conversation) ?? [row.conversation],
  name: row.name,
  branch: branchOf(row.name),
  state: row.state,
  path: row.path,
  repository: row.top,
  createdAt: row.created,
  usedAt: row.used
})
