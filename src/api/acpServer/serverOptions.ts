/** What a server of the Agent Client Protocol is made of. */
import type { Effect } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { AgentError, FailureReason } from "../../contract/AgentError.ts"
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { AgentModels } from "../../contract/AgentModels.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { Sessions } from "../../conversations/Sessions.ts"

export interface AcpServerOptions {
  /** The agent's name, for people. */
  readonly label: string
  /** Of this package. */
  readonly version: string
  readonly cli: Pick<Cli, "id" | "attachments" | "signIn">
  /** Of every session. */
  readonly params: AgentOpenParams
  /** With which sessions begin; `bypass` can be chosen only where they do. */
  readonly initialMode: PermissionMode
  /** The models that are offered to clients, asked of the CLI once; undefined: none are. */
  readonly models: ((directory: string) => Effect.Effect<AgentModels, AgentError>) | undefined
  /** Opened with the first session. */
  readonly sessions: Effect.Effect<Sessions["Service"], FailureReason>
  /** Puts the caller's words for options in a message. */
  readonly inWords: (message: string) => string
}
