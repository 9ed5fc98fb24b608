/** The needs of turns: an agent, the open store, locks, and the gates and observers of each run. */
import type { Effect, Scope, Stream } from "effect"
import type { AgentError, SessionBusy } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { AgentDefaults, Limits } from "../../contract/AgentOptions.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { toMillis } from "../../contract/Input.ts"
import type { Observer } from "../../contract/Observer.ts"
import type { RunOptions } from "../../contract/PlainAgent.ts"
import type { WhenBusy } from "../../contract/Sessions.ts"
import type { Waiting } from "../../contract/Start.ts"
import type { NameLocks } from "../store/nameLocks.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import type { KeyParts } from "./conversationKey.ts"
import type { WorktreeEntry } from "./WorktreeEntry.ts"

export interface ConversationAgent {
  readonly cli: string
  readonly defaults?: AgentDefaults | undefined
  readonly limits?: Limits | undefined
  readonly execute: <Output>(params: AgentExecuteParams<Output>) => Stream.Stream<AgentEvent<Output>>
  readonly run: <Output>(
    params: AgentExecuteParams<Output>,
    options?: RunOptions
  ) => Effect.Effect<AgentRunResult<Output>, AgentError>
  readonly open: (params?: AgentOpenParams) => Effect.Effect<AgentSession, AgentError, Scope.Scope>
}

interface SessionFacts {
  /** It can go on in a copy of a session. */
  readonly canFork: boolean
  /** It goes on with a session in the session's own working directory alone. */
  readonly isBoundToDirectory: boolean
}

export interface HoldOptions {
  /** If false, fails at once when it is held. */
  readonly isPatient: boolean
  /** How long to wait for a holder in another process, in ms; holders of this process are awaited without limit. */
  readonly patienceMs: number
  /** Called while it waits. */
  readonly queued: (waiting: Waiting) => void
}

/** How long a turn or a live session waits for its conversation. */
export const patienceOf = ({ limits }: ConversationAgent, whenBusy: WhenBusy) => ({
  isPatient: whenBusy === "wait",
  patienceMs: toMillis(limits?.busyWait ?? "30 seconds")
})

export interface Held {
  /** Whether another caller waits for it. */
  readonly isWanted: () => boolean
}

export interface ConversationContext {
  /** If true, other processes enqueue turns and watch their rows: unstarted ones stay, as do their failures. */
  readonly areTurnsOfOthers: boolean
  readonly agent: ConversationAgent
  readonly facts: SessionFacts
  readonly store: OpenStore
  readonly turns: NameLocks
  readonly hold: (key: KeyParts, options: HoldOptions) => Effect.Effect<Held, SessionBusy, Scope.Scope>
  readonly observers: ReadonlyArray<Observer>
  /** Undefined where no layer provides worktrees. */
  readonly worktrees?: WorktreeEntry | undefined
}
