/** A repository, a store, and an agent that changes files in its working directory, for tests of worktrees. */
import { NodeServices } from "@effect/platform-node"
import { Context, Effect, Layer, Stream } from "effect"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import { makeHistory } from "../../../src/conversations/history/guarded.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { makeConversationContext } from "../../../src/conversations/turns/makeSessions.ts"
import { executeTurn, runTurn } from "../../../src/conversations/turns/runTurn.ts"
import { Worktrees } from "../../../src/conversations/Worktrees.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { gitIn, makeRepository, put } from "../../kit/repository.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { contextOf } from "../history/kit.ts"
import { testAgent } from "../kit.ts"

/** The work of an agent in its directory; called for each run. */
export type Work = (directory: string, params: AgentExecuteParams) => void

export const environmentOf = (state: string) => ({
  ...process.env,
  XDG_STATE_HOME: state,
  GIT_CONFIG_GLOBAL: "/dev/null"
})

/** Turns in a repository, over a store in a file. */
export const workshop = Effect.fnUntraced(function* (
  work: Work,
  input: { readonly isBoundToDirectory?: boolean } = {}
) {
  const repository = yield* makeRepository
  const state = yield* makeDirectory
  const services = yield* Layer.build(
    Worktrees.layer.pipe(
      Layer.provideMerge(Store.layerFile({ directory: `${state}/store` })),
      Layer.provide(NodeServices.layer),
      Layer.provideMerge(Layer.succeed(HostEnvironment, environmentOf(state)))
    )
  )
  const store = Context.get(services, Store)
  const worktrees = Context.get(services, Worktrees)
  const agent = testAgent(
    (params) => {
      work(params.workingDirectory ?? repository, params)
      return {}
    },
    { workingDirectory: repository }
  )
  const facts = { canFork: true, isBoundToDirectory: false, ...input }
  const here = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, services)
  const context = yield* here(makeConversationContext({ agent, facts, store, worktrees }))
  return {
    repository,
    state,
    store,
    worktrees: {
      ...worktrees,
      list: here(worktrees.list),
      leftovers: here(worktrees.leftovers),
      clean: here(worktrees.clean),
      changes: (...args: Parameters<typeof worktrees.changes>) => here(worktrees.changes(...args)),
      apply: (...args: Parameters<typeof worktrees.apply>) => here(worktrees.apply(...args)),
      commit: (...args: Parameters<typeof worktrees.commit>) => here(worktrees.commit(...args)),
      discard: (...args: Parameters<typeof worktrees.discard>) => here(worktrees.discard(...args)),
      remove: (...args: Parameters<typeof worktrees.remove>) => here(worktrees.remove(...args))
    },
    agent,
    history: makeHistory({
      ...contextOf(store, new Set()),
      worktrees: { remove: (...args) => here(worktrees.remove(...args)) }
    }),
    run: (params: object) => here(runTurn(context, { workingDirectory: repository, ...params })),
    events: (params: object) =>
      here(Stream.runCollect(executeTurn(context, { workingDirectory: repository, ...params })))
  }
})

/** Writes a file with its prompt as name and content. */
export const byPrompt: Work = (directory, { prompt }) => put(directory, { [`${prompt}.txt`]: `${prompt}\n` })

export const statusOf = (repository: string) =>
  gitIn(repository, "--no-optional-locks", "status", "--porcelain", "--untracked-files=all")
