/** What the operations on stored sessions need beside the store. */
import type { Effect, Scope } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { SessionBusy } from "../../contract/AgentError.ts"
import type { SessionHolder } from "../../contract/SessionHolder.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import type { KeyParts } from "../turns/conversationKey.ts"

/** The part of a CLI that is needed: how its sessions are found, named and forked. */
export type HistoryCli = Pick<Cli, "id" | "stored" | "resumeCommands" | "supports">

export interface HistoryContext {
  readonly store: OpenStore
  readonly clis: ReadonlyArray<HistoryCli>
  /** Who uses a session now. */
  readonly whoHolds: (cli: string, sessionId: string) => Effect.Effect<SessionHolder | undefined>
  /** Holds a session until the scope closes; fails at once if somebody else has it. */
  readonly holdSession: (cli: string, sessionId: string) => Effect.Effect<unknown, SessionBusy, Scope.Scope>
  /** The same for a conversation. */
  readonly holdConversation: (key: KeyParts) => Effect.Effect<unknown, SessionBusy, Scope.Scope>
}
