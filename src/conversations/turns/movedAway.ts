/** Sessions that have left this home, though their files are still here: they must not be resumed here. */
import { Effect } from "effect"
import { SessionElsewhere } from "../../contract/AgentError.ts"
import { textIn } from "../store/columns.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { homeName } from "./lookUp.ts"

const way = "on its way to "

/** The home in the row of a session while it moves. */
export const onItsWay = (to: string) => `${way}${to}`

/** Whether a session is at no home now: it is at one again within five minutes, as a rule at once. */
export const isOnItsWay = (home: string) => home.startsWith(way)

/**
 * Fails where this home has no row of the session, and another home, to which it was moved from here, has. To be asked
 * with the session held: it is held while it leaves.
 */
export const refuseMoved = Effect.fnUntraced(function* (store: OpenStore, cli: string, sessionId: string) {
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
