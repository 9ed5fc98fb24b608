/** The ways to talk in a chat: with a person at a terminal, another program, or a list of prompts. */
import type { Effect, Option, Scope, Stdio, Terminal } from "effect"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import type { PlanMode } from "../planMode.ts"
import type { Talk } from "./holdSession.ts"

export interface WayContext {
  /** Who is at work, for people. */
  readonly agent: string
  /** The prompt of the command line. */
  readonly first: Option.Option<string>
  readonly planMode: Option.Option<PlanMode>
  /** Whether the program was told to stop. */
  readonly isStopping: () => boolean
}

type Needs = Stdio.Stdio | Terminal.Terminal

export type Way = (context: WayContext) => {
  /** Whom the agent asks. */
  readonly asking: Required<Pick<AgentOpenParams, "approvals" | "questions">>
  /** Says that the session is being opened. */
  readonly opening: Effect.Effect<void, never, Needs>
  readonly talk: (session: AgentSession) => Effect.Effect<Talk<never, Needs>, never, Needs | Scope.Scope>
  /** Shows a session that could not be opened. */
  readonly showFailure: Talk<never, Needs>["show"]
  /** After all: gives whether what was asked for could be understood. */
  readonly end: Effect.Effect<boolean>
}
