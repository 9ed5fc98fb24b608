/** A turn's place in the worktree of its conversation, if it has one: its parameters there, and the notice of a restored one. */
import { Effect, Scope } from "effect"
import { movedParams } from "../../agents/run/movedParams.ts"
import { InvalidParams, Refused } from "../../contract/AgentError.ts"
import type { NoticeEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import { untraced } from "../../contract/untraced.ts"
import type { ConversationContext } from "./context.ts"
import type { SessionRow } from "./sessionRows.ts"
import type { TurnRequest } from "./turnRequest.ts"

const restored = (name: string): NoticeEvent => ({
  type: "notice",
  kind: "warning",
  message: `The files of the worktree ${name} were missing, and are restored as they were after its last turn`,
  data: { worktree: name }
})

/** `locks`: closes when nothing of the turn is left; then the files are saved. Call it with the conversation held. */
export const inWorktree = Effect.fn(...untraced("InWorktree.inWorktree"))(function* <
  Params extends Pick<AgentExecuteParams, "workingDirectory" | "attachments" | "additionalDirectories" | "account">
>(
  { agent, facts, worktrees }: ConversationContext,
  { key, worktree, params }: TurnRequest<Params>,
  {
    session,
    locks,
    tell
  }: {
    readonly session: SessionRow | undefined
    readonly locks: Scope.Scope
    readonly tell: (notice: NoticeEvent) => void
  }
) {
  if (key === undefined || worktree === false) return params
  if (worktrees === undefined) {
    if (worktree === undefined) return params
    return yield* new InvalidParams({ option: "worktree", problem: "needs worktrees: provide Worktrees.layer" })
  }
  const entered = yield* Effect.mapError(
    worktrees.enter({
      key,
      options: worktree,
      directory: params.workingDirectory ?? agent.defaults?.workingDirectory,
      session: session?.directory,
      isBound: facts.isBoundToDirectory,
      parent: session?.isToBeForked === true ? session.conversation : undefined
    }),
    ({ reason }) => {
      if (reason._tag === "InvalidParams" || reason._tag === "StoreUnavailable") return reason
      const problem = reason._tag === "WorktreeRefused" ? reason.problem : reason.message
      return new Refused({ gate: "worktree", problem, retryable: reason._tag === "WorktreeBusy" })
    }
  )
  if (entered === undefined) return params
  if (entered.isRestored) tell(restored(entered.name))
  yield* Scope.addFinalizer(locks, entered.save)
  return movedParams(params, entered.original, entered.directory)
})
