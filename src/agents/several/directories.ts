/**
 * Where each of several agents works. Those that may change files have a directory that no other one uses: a worktree, or
 * one of the caller's; otherwise nothing is started.
 */
import { realpath } from "node:fs/promises"
import { resolve, sep } from "node:path"
import { Effect } from "effect"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import { AgentsError, SharedDirectory, WorktreeFailed } from "../../contract/AgentsError.ts"
import { findRepository, type GitFailed, type Repository } from "../../system/worktrees/git.ts"
import { makeWorktree, type Worktree } from "../../system/worktrees/worktree.ts"
import type { Member } from "./team.ts"

export interface Placed<Output = unknown> extends Member<Output> {
  /** Absolute. */
  readonly directory: string
  readonly worktree: Worktree | undefined
}

/** A mode of the CLI that a tool or a command can get around holds nothing. */
export const mayChangeFiles = ({ permissionMode, allowedTools = [], slashCommands }: AgentExecuteParams): boolean =>
  permissionMode !== "plan" || allowedTools.length > 0 || slashCommands === true

/** Without symbolic links, as far as it exists. */
const real = (path: string) => Effect.promise(() => realpath(path).catch(() => path))

const isInside = (inner: string, outer: string) =>
  inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`)

const overlap = (one: string, other: string) => isInside(one, other) || isInside(other, one)

interface Uses extends Member {
  /** Directories in which it works, a worktree not counted. */
  readonly directories: ReadonlyArray<string>
}

const usesOf = (hasWorktree: (member: Member) => boolean) =>
  Effect.fnUntraced(function* (member: Member) {
    const { workingDirectory = ".", additionalDirectories = [] } = member.params
    const own = resolve(workingDirectory)
    const additional = additionalDirectories.map((directory) => resolve(own, directory))
    const directories = yield* Effect.forEach([...(hasWorktree(member) ? [] : [own]), ...additional], real)
    const uses: Uses = { ...member, directories }
    return uses
  })

/** The first directory in which an agent that may change files would meet another one; pure. */
export const sharedBy = (all: ReadonlyArray<Uses>): SharedDirectory | undefined => {
  for (const writer of all.filter(({ params }) => mayChangeFiles(params))) {
    for (const directory of writer.directories) {
      const others = all.filter(
        (other) => other !== writer && other.directories.some((theirs) => overlap(directory, theirs))
      )
      if (others.length === 0) continue
      return new SharedDirectory({ directory, agents: [writer.agent, ...others.map(({ agent }) => agent)] })
    }
  }
  return undefined
}

export const worktreeFailed = ({ problem }: GitFailed) => new AgentsError({ reason: new WorktreeFailed({ problem }) })

/** Other paths stay those of the directory that the worktree stands for, and so does the project. */
const moved = <Output>(
  { attachments, additionalDirectories, account, ...params }: AgentExecuteParams<Output>,
  from: string,
  workingDirectory: string
): AgentExecuteParams<Output> => ({
  ...params,
  workingDirectory,
  account: { ...account, project: account?.project ?? from },
  ...(attachments === undefined
    ? {}
    : { attachments: attachments.map((one) => ("path" in one ? { ...one, path: resolve(from, one.path) } : one)) }),
  ...(additionalDirectories === undefined
    ? {}
    : { additionalDirectories: additionalDirectories.map((path) => resolve(from, path)) })
})

/** Worktrees are there until the scope closes. One after the other: they write to the same repository. */
export const placed = Effect.fnUntraced(function* <Output>(members: ReadonlyArray<Member<Output>>, worktrees: boolean) {
  const hasWorktree = ({ params }: Member) => worktrees && mayChangeFiles(params)
  const shared = sharedBy(yield* Effect.forEach(members, usesOf(hasWorktree)))
  if (shared !== undefined) return yield* new AgentsError({ reason: shared })
  const repositories = new Map<string, Repository>()
  return yield* Effect.forEach(members, (member) =>
    Effect.gen(function* () {
      const input = resolve(member.params.workingDirectory ?? ".")
      if (!hasWorktree(member)) {
        const place: Placed<Output> = { ...member, directory: input, worktree: undefined }
        return place
      }
      const repository = repositories.get(input) ?? (yield* findRepository(input))
      repositories.set(input, repository)
      const worktree = yield* makeWorktree(repository)
      const { directory } = worktree
      const place: Placed<Output> = { ...member, params: moved(member.params, input, directory), directory, worktree }
      return place
    }).pipe(Effect.mapError(worktreeFailed))
  )
})
