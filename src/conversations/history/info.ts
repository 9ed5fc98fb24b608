/** A stored session → its public description. Texts may come from another program: they are made harmless, and cut. */
import { Effect, type Scope } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { SessionBusy } from "../../contract/AgentError.ts"
import type { SessionHolder } from "../../contract/NotAdmitted.ts"
import { present } from "../../contract/present.ts"
import type { SessionInfo } from "../../contract/Sessions.ts"
import { harmless } from "../../contract/text/harmless.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { type KeyParts, keyOfText } from "../turns/conversationKey.ts"
import { type SessionRow, titleOf } from "../turns/sessionRows.ts"
import type { WorktreeOperations } from "../worktrees/WorktreeOperations.ts"

/** The part of a CLI that is needed: how its sessions are found, named and forked. */
export type HistoryCli = Pick<Cli, "id" | "stored" | "resumeCommands" | "supports">

export interface HistoryContext {
  readonly store: OpenStore
  readonly clis: ReadonlyArray<HistoryCli>
  readonly whoHolds: (cli: string, sessionId: string) => Effect.Effect<SessionHolder | undefined>
  /** Holds a session or a conversation until the scope closes; fails at once if another process has it. */
  readonly holdSession: (cli: string, sessionId: string) => Effect.Effect<unknown, SessionBusy, Scope.Scope>
  readonly holdConversation: (key: KeyParts) => Effect.Effect<unknown, SessionBusy, Scope.Scope>
  /** Undefined where no layer provides worktrees. */
  readonly worktrees?: Pick<WorktreeOperations, "remove"> | undefined
}

const longestText = 4_096
const short = (text: string | undefined) => (text === undefined ? undefined : harmless(text.slice(0, longestText)))

/** A quarantine ends with its time. */
const stateOf = ({ state, expires }: SessionRow, now: number) =>
  state === "quarantined" && expires !== undefined && expires <= now ? "live" : state

export const infoOfRow = (row: SessionRow, now: number): SessionInfo => ({
  id: row.key,
  cli: row.cli,
  sessionId: row.sessionId,
  origin: row.origin,
  state: stateOf(row, now),
  createdAt: row.created,
  usedAt: row.used,
  turns: row.turns,
  home: row.home,
  ...present({
    conversation: row.conversation === undefined ? undefined : keyOfText(row.conversation),
    title: titleOf(row.title ?? "") ?? undefined,
    directory: short(row.directory),
    model: short(row.model),
    parent: row.parentKey
  })
})

/** Adds the current holder. Only sessions of this home can be used from here. */
export const withHolder = ({ store, whoHolds }: HistoryContext, info: SessionInfo) =>
  info.home !== undefined && info.home !== store.home
    ? Effect.succeed(info)
    : Effect.map(whoHolds(info.cli, info.sessionId), (holder) => (holder === undefined ? info : { ...info, holder }))
