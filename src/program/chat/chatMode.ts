/** The modes of a chat: with a person at a terminal, with another program, or with a list of prompts. */
import type { Effect, Option, Scope, Stdio, Terminal } from "effect"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import type { BudgetState } from "../../contract/Budget.ts"
import type { PlanMode } from "../planMode.ts"
import type { SessionDriver } from "./runSession.ts"

export interface ChatModeContext {
  /** The agent's name, for people. */
  readonly agent: string
  /** The prompt of the command line. */
  readonly firstPrompt: Option.Option<string>
  readonly planMode: Option.Option<PlanMode>
  /** Mode of the command line; undefined for the agent's own default. */
  readonly permissionMode?: string | undefined
  /** The models that the agent lists; it takes seconds. Default: none. */
  readonly models?: Effect.Effect<ReadonlyArray<string>>
  /** How the budgets stand. Default: none. */
  readonly budgets?: Effect.Effect<ReadonlyArray<BudgetState>>
  /** Whether the program was told to stop. */
  readonly isStopping: () => boolean
}

type Needs = Stdio.Stdio | Terminal.Terminal

export type ChatMode = (context: ChatModeContext) => {
  /** How requests and questions of the agent are answered. */
  readonly answering: Required<Pick<AgentOpenParams, "approvals" | "questions">>
  /** Announces that the session is being opened. */
  readonly announce: Effect.Effect<void, never, Needs>
  readonly makeDriver: (session: AgentSession) => Effect.Effect<SessionDriver<never, Needs>, never, Needs | Scope.Scope>
  /** Shows a session that could not be opened. */
  readonly showFailure: SessionDriver<never, Needs>["show"]
  /** Runs last; false where the input held an invalid command. */
  readonly finish: Effect.Effect<boolean>
}
