/**
 * One prompt for several agents at the same time: the first good answer (`race`), or all of them (`each`). Agents that may
 * change files have a directory that no other agent uses: a worktree, or one of the caller's; otherwise nothing is started.
 */
import { realpath } from "node:fs/promises"
import { resolve, sep } from "node:path"
import { Effect } from "effect"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import { AgentsError, NoGoodAnswer, SharedDirectory, WorktreeFailed } from "../../contract/AgentsError.ts"
import { eventually } from "../../contract/Input.ts"
import type { AgentEnd, EachOptions, ParamsOfAgents, RaceAnswer, RaceOptions } from "../../contract/SeveralAgents.ts"
import { untraced } from "../../contract/untraced.ts"
import { findRepository, type GitFailed, type Repository } from "../../system/worktrees/git.ts"
import { makeWorktree, type Worktree } from "../../system/worktrees/worktree.ts"
import { movedParams } from "../run/movedParams.ts"
import { checkOptions, ended, type Member, membersOf, type Team, untilAborted } from "./team.ts"

interface Placed<Output = unknown> extends Member<Output> {
  /** Absolute. */
  readonly directory: string
  readonly worktree: Worktree | undefined
}

/** The mode `plan` holds nothing if a tool or a command can get around it. */
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

const worktreeFailed = ({ problem }: GitFailed) => new AgentsError({ reason: new WorktreeFailed({ problem }) })

/** Worktrees are there until the scope closes. One after the other: they write to the same repository. */
const placed = Effect.fn(...untraced("Race.placed"))(function* <Output>(
  members: ReadonlyArray<Member<Output>>,
  worktrees: boolean
) {
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
      const place: Placed<Output> = {
        ...member,
        params: movedParams(member.params, input, directory),
        directory,
        worktree
      }
      return place
    }).pipe(Effect.mapError(worktreeFailed))
  )
})

const endIn = Effect.fn(...untraced("Race.endIn"))(function* <Output>(
  team: Team,
  place: Placed<Output>,
  onEvent: EachOptions["onEvent"]
) {
  const end = yield* ended(team, place, onEvent)
  if (place.worktree === undefined) return end
  const withChanges: AgentEnd<string, Output> = {
    ...end,
    changes: yield* Effect.mapError(place.worktree.changes, worktreeFailed)
  }
  return withChanges
})

/** Returns when the losers have ended, and left nothing. */
export const race = <Output = unknown>(
  team: Team,
  params: ParamsOfAgents<string, string, Output>,
  options: RaceOptions<string, Output> = {}
) =>
  Effect.gen(function* () {
    yield* checkOptions("race", options)
    const { agents, worktrees = false, accept = () => true, onEvent } = options
    const places = yield* placed(yield* membersOf(team, params, agents), worktrees)
    const others: Array<AgentEnd<string, Output>> = []
    const runners = places.map((place) =>
      Effect.gen(function* () {
        const end = yield* endIn(team, place, onEvent)
        const isGood = end.error === undefined && (yield* Effect.orDie(eventually(() => accept(end, place.directory))))
        if (isGood) {
          const answer: RaceAnswer<string, Output> = { ...end, others: [...others] }
          return answer
        }
        others.push(end)
        // The others may still answer.
        if (others.length < places.length) return yield* Effect.never
        return yield* new AgentsError({ reason: new NoGoodAnswer({ others }) })
      })
    )
    return yield* Effect.raceAllFirst(runners)
  }).pipe(Effect.scoped, (racing) => untilAborted(racing, params), Effect.withSpan("Agents.race"))

/** In the order of the agents. Failures of agents are among the answers. */
export const each = <Output = unknown>(
  team: Team,
  params: ParamsOfAgents<string, string, Output>,
  options: EachOptions = {}
) =>
  Effect.gen(function* () {
    yield* checkOptions("each", options)
    const { agents, worktrees = false, onEvent } = options
    const places = yield* placed(yield* membersOf(team, params, agents), worktrees)
    return yield* Effect.forEach(places, (place) => endIn(team, place, onEvent), { concurrency: "unbounded" })
  }).pipe(Effect.scoped, (asking) => untilAborted(asking, params), Effect.withSpan("Agents.each"))
