/** Which session a turn goes on with, and where; and why its conversation begins a new one. */
import { accessSync, constants, realpathSync } from "node:fs"
import { resolve } from "node:path"
import { Effect } from "effect"
import { InvalidParams, SessionElsewhere } from "../../contract/AgentError.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import { textIn } from "../store/columns.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { keyText } from "./conversationKey.ts"
import { isUsable, type SessionRow, sessionById, sessionOfConversation } from "./sessionRows.ts"
import type { TurnRequest } from "./turnRequest.ts"

/** A home for people: its name in the cluster, or its id, where it is of none. */
export const homeName = ({ sql, read }: OpenStore, id: string) =>
  Effect.map(
    read(sql<object>`select name from cluster_homes where id = ${id}`),
    ([row = {}]) => textIn(row, "name") ?? id
  )

/** Why a conversation begins a new session, though it had one. */
export type ResetReason = "expired" | "dead" | "quarantined" | "archived"

export interface Found {
  /** To be gone on with. Of one that is named and not known here: undefined, too. */
  readonly session: SessionRow | undefined
  /** Reason why another session was found instead. */
  readonly reset: ResetReason | undefined
}

const found = (session: SessionRow | undefined, reset?: ResetReason): Found => ({ session, reset })

/** Fails where the files of the session are on another machine. */
export const findSession = Effect.fnUntraced(function* (
  store: OpenStore,
  cli: string,
  { key, fresh, params: { sessionId } }: TurnRequest<Partial<AgentExecuteParams>>,
  now: number
) {
  if (typeof sessionId === "string") return found(yield* sessionById(store, cli, sessionId))
  if (key === undefined || fresh) return found(undefined)
  const session = yield* sessionOfConversation(store, keyText(key), cli)
  if (session === undefined || isUsable(session, now)) {
    if (session === undefined || session.home === store.home) return found(session)
    const { sessionId: id, directory = "" } = session
    const home = yield* homeName(store, session.home)
    return yield* new SessionElsewhere({ sessionId: id, directory, asked: store.home, home })
  }
  return found(undefined, session.state === "live" ? "expired" : session.state)
})

const isThere = (directory: string) => {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Without symbolic links, if it exists. */
const real = (directory: string) => {
  try {
    return realpathSync(directory)
  } catch {
    return resolve(directory)
  }
}

/**
 * The working directory for a session: the caller's, else the session's own; undefined where neither is known. `isBound`:
 * its CLI can go on with it nowhere else.
 */
export const directoryFor = Effect.fnUntraced(function* (
  { sessionId, directory }: SessionRow,
  requested: string | undefined,
  isBound: boolean
) {
  if (directory === undefined) return requested
  if (requested !== undefined) {
    if (!isBound || real(requested) === real(directory)) return requested
    return yield* new SessionElsewhere({ sessionId, directory, asked: requested })
  }
  if (isThere(directory)) return directory
  const problem = `${JSON.stringify(directory)}, in which the conversation was, cannot be used any more: name another one, or begin anew with fresh`
  return yield* new InvalidParams({ option: "workingDirectory", problem })
})
