/** Finds the session that a turn continues, its directory, and why a conversation begins a new one. */
import { accessSync, constants, realpathSync } from "node:fs"
import { resolve } from "node:path"
import { Effect } from "effect"
import { InvalidParams, SessionElsewhere } from "../../contract/AgentError.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import { untraced } from "../../contract/untraced.ts"
import { textIn } from "../store/columns.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import type { ConversationContext } from "./context.ts"
import { keyText } from "./conversationKey.ts"
import { isUsable, type SessionRow, sessionById, sessionOfConversation } from "./sessionRows.ts"
import type { TurnRequest } from "./turnRequest.ts"

/** A home for people: its name in the cluster, else its id. */
export const homeName = ({ sql, read }: OpenStore, id: string) =>
  Effect.map(
    read(sql<object>`select name from cluster_homes where id = ${id}`),
    ([row = {}]) => textIn(row, "name") ?? id
  )

/** Why a conversation begins a new session, though it had one. */
export type ResetReason = "expired" | "dead" | "quarantined" | "archived"

export interface Found {
  /** To be continued; undefined for a named session that is unknown here. */
  readonly session: SessionRow | undefined
  readonly reset: ResetReason | undefined
}

const found = (session: SessionRow | undefined, reset?: ResetReason): Found => ({ session, reset })

/** Fails where the files of the session are on another machine. */
export const findSession = Effect.fn(...untraced("LookUp.findSession"))(function* (
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

/** Resolves symbolic links, if it exists. */
const real = (directory: string) => {
  try {
    return realpathSync(directory)
  } catch {
    return resolve(directory)
  }
}

/** The caller's directory, else the session's own. `isBound`: the CLI resumes it nowhere else. */
const directoryFor = Effect.fn(...untraced("LookUp.directoryFor"))(function* (
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

interface Placed {
  readonly workingDirectory?: string | undefined
  readonly sessionId?: string | undefined
}

/** Parameters that continue or fork a session: its id, and its directory unless the caller names another. */
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

const way = "on its way to "
/** The home in the row of a session while it moves. */
export const onItsWay = (to: string) => `${way}${to}`
/** Whether a session is between homes, for at most five minutes. */
export const isOnItsWay = (home: string) => home.startsWith(way)

/** Fails if the session was moved from here, though its files remain. Call it with the session held. */
export const refuseMoved = Effect.fn(...untraced("LookUp.refuseMoved"))(function* (
  store: OpenStore,
  cli: string,
  sessionId: string
) {
  const { sql, read, home, kind } = store
  // Other stores have one home.
  if (kind !== "postgres") return
  const rows = yield* read(sql<object>`select s.home, s.directory from sessions s
    where s.cli = ${cli} and s.session_id = ${sessionId} and s.home <> ${home}
      and exists (select 1 from session_moves m
        where m.session_key = s.key and m.from_home = ${home} and m.state in ('packed', 'done'))
      and not exists (select 1 from sessions h
        where h.home = ${home} and h.cli = ${cli} and h.session_id = ${sessionId})`)
  const [row] = rows
  if (row === undefined) return
  const there = yield* homeName(store, textIn(row, "home") ?? "")
  const directory = textIn(row, "directory") ?? ""
  return yield* new SessionElsewhere({ sessionId, directory, asked: home, home: there })
})
