/** A stored session → what is told of it. Texts of a row may be of another program: they are harmless, and short. */
import { Effect } from "effect"
import type { SessionInfo } from "../../contract/Sessions.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { present } from "../store/columns.ts"
import { keyOfText } from "../turns/conversationKey.ts"
import type { SessionRow } from "../turns/sessionRows.ts"
import { titleOf } from "../turns/title.ts"
import type { HistoryContext } from "./context.ts"

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

/** With who uses it now. Only sessions of this home can be used from here. */
export const withHolder = ({ store, whoHolds }: HistoryContext, info: SessionInfo) =>
  info.home !== undefined && info.home !== store.home
    ? Effect.succeed(info)
    : Effect.map(whoHolds(info.cli, info.sessionId), (holder) => (holder === undefined ? info : { ...info, holder }))
