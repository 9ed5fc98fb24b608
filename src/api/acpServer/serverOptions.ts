/** Options and offers of a server of the Agent Client Protocol. */
import { Effect, Fiber, type Scope } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { AgentError, FailureReason } from "../../contract/AgentError.ts"
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { AgentModel, AgentModels } from "../../contract/AgentModels.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import { harmless } from "../../contract/text/harmless.ts"
import type { Sessions } from "../../conversations/Sessions.ts"
import type { EditorSession } from "./editorSession.ts"

// The models of the CLI, for a session to offer: it is asked once, beside the first session, and sessions are told when
// they are known. A CLI that does not answer, or lists none, costs nothing but the choice.

const none: ReadonlyArray<AgentModel> = []

/** Gives them to a session at once where they are known, else later: then its client is told. */
export const makeOffers = Effect.fnUntraced(function* (
  models: AcpServerOptions["models"]
): Effect.fn.Return<
  (session: EditorSession, directory: string) => Effect.Effect<void, never, Scope.Scope>,
  never,
  Scope.Scope
> {
  const scope = yield* Effect.scope
  let known: ReadonlyArray<AgentModel> | undefined
  let directory = ""
  const list = Effect.suspend(() => models?.(directory) ?? Effect.succeed({ type: "unlisted" as const })).pipe(
    Effect.map((found): ReadonlyArray<AgentModel> => (found.type === "listed" ? found.models : [])),
    Effect.catch(({ message }) => Effect.as(Effect.logWarning(`no models are offered: ${harmless(message)}`), none)),
    Effect.tap((found) =>
      Effect.sync(() => {
        known = found
      })
    )
  )
  // It outlives the session that was first.
  const listed = Effect.flatMap(yield* Effect.cached(Effect.forkIn(list, scope)), Fiber.join)
  return (session, where) =>
    Effect.suspend(() => {
      if (models === undefined) return Effect.void
      if (known !== undefined) return Effect.sync(() => session.offer(known ?? []))
      directory ||= where
      const later = Effect.flatMap(listed, (found) => {
        session.offer(found)
        return found.length === 0 ? Effect.void : session.tellOptions
      })
      return Effect.asVoid(Effect.forkScoped(later))
    })
})

export interface AcpServerOptions {
  /** The agent's name, for people. */
  readonly label: string
  /** Version of this package. */
  readonly version: string
  readonly cli: Pick<Cli, "id" | "attachments" | "signIn">
  /** Defaults of every session. */
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
