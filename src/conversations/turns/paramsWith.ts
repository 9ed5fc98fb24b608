/**
 * The parameters with which an agent goes on with a session, or in a fork of it: its id, and its directory unless the caller
 * names another.
 */
import { Effect } from "effect"
import type { ConversationContext } from "./context.ts"
import { directoryFor } from "./lookUp.ts"
import type { SessionRow } from "./sessionRows.ts"

interface Placed {
  readonly workingDirectory?: string | undefined
  readonly sessionId?: string | undefined
}

export const paramsWith = <Params extends Placed>(
  { agent, facts }: ConversationContext,
  params: Params,
  session: SessionRow
) => {
  const directory = params.workingDirectory ?? agent.defaults?.workingDirectory
  return Effect.map(directoryFor(session, directory, facts.isBoundToDirectory), (workingDirectory) => ({
    ...params,
    sessionId: session.sessionId,
    ...(session.isToBeForked === true ? { forkSession: true } : {}),
    ...(workingDirectory === undefined ? {} : { workingDirectory })
  }))
}
