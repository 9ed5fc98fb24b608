/** Options and offers of a server of the Agent Client Protocol. */
import { Effect, Fiber } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { AgentError, FailureReason } from "../../contract/AgentError.ts"
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { AgentModel, AgentModels } from "../../contract/AgentModels.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import type { Sessions } from "../../conversations/Sessions.ts"
import type { EditorSession } from "./editorSession.ts"

/**
 * Offers the models of the CLI to a session: at once if they are known, else later, with a notification of its client. The
 * CLI is asked once, beside the first session. One that does not answer, or lists none, costs nothing but the choice.
 */
export const makeOffers = Effect.fn(...untraced("ServerOptions.makeOffers"))(function* (
  models: AcpServerOptions["models"]
) {
  const scope = yield* Effect.scope
  let known: ReadonlyArray<AgentModel> | undefined
  let directory = ""
  const list = Effect.suspend(() => models?.(directory) ?? Effect.succeed({ type: "unlisted" as const })).pipe(
    Effect.map((found): ReadonlyArray<AgentModel> => (found.type === "listed" ? found.models : [])),
    Effect.catch(({ message }) => Effect.as(Effect.logWarning(`no models are offered: ${harmless(message)}`), [])),
    Effect.tap((found) =>
      Effect.sync(() => {
        known = found
      })
    )
  )
  // In the scope of the connection: it outlives the first session.
  const listed = Effect.flatMap(yield* Effect.cached(Effect.forkIn(list, scope)), Fiber.join)
  return (session: EditorSession, where: string) =>
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
  readonly version: string
  readonly cli: Pick<Cli, "id" | "attachments" | "signIn">
  readonly params: AgentOpenParams
  /** The first mode of sessions; `bypass` can be chosen only if it is `bypass`. */
  readonly initialMode: PermissionMode
  /** Asks the CLI for the models to offer, once; undefined to offer none. */
  readonly models: ((directory: string) => Effect.Effect<AgentModels, AgentError>) | undefined
  readonly sessions: Effect.Effect<Sessions["Service"], FailureReason>
  /** Replaces names of options in a message by the caller's words for them. */
  readonly inWords: (message: string) => string
}
