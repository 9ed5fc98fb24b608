/**
 * Requests between pages. A request is taken once, and only by the page that it is for; the caller takes back what was
 * not taken. The same request again, while it is known, waits for the same answer.
 */
import { Clock, Effect } from "effect"
import { textIn, wordIn } from "../../../conversations/store/columns.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"

/** Longer than any caller waits, plus a possible difference of clocks. */
const patienceMs = 5 * 60_000
/** An answer that is asked for again. */
const keptMs = 2 * patienceMs

const states = ["asked", "taken", "answered"] as const

export interface TakenRequest {
  readonly id: string
  readonly request: string
}

export const makeRequestTable = ({ sql, transact, read }: OpenStore) => ({
  put: (account: string, id: string, request: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) =>
      transact(
        Effect.asVoid(
          sql`insert into web_requests ${sql.insert({ account, id, request, state: "asked", at })}
            on conflict (id) do nothing`
        )
      )
    ),

  /** Returns undefined if it does not exist. */
  look: (id: string) =>
    read(
      Effect.map(sql<object>`select state, answer from web_requests where id = ${id}`, ([row]) => {
        const state = row === undefined ? undefined : wordIn(row, "state", states)
        return row === undefined || state === undefined ? undefined : { state, answer: textIn(row, "answer") }
      })
    ),

  /** Returns false if it was already taken. */
  takeBack: (id: string) =>
    transact(
      Effect.map(
        sql`delete from web_requests where id = ${id} and state = 'asked' returning id`,
        (rows) => rows.length > 0
      )
    ),

  remove: (id: string) => transact(Effect.asVoid(sql`delete from web_requests where id = ${id}`)),

  /** The oldest pending requests for a page. Abandoned ones are skipped. */
  take: (account: string, most: number) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const waiting = sql<object>`select id, request from web_requests where account = ${account} and state = 'asked'
        and at > ${now - patienceMs} order by at limit ${most}`
      // Looked at all the time: a transaction is for what is there.
      if ((yield* read(waiting)).length === 0) return []
      return yield* transact(
        Effect.gen(function* () {
          const rows = yield* waiting
          const found = rows.flatMap((row): ReadonlyArray<TakenRequest> => {
            const [id, request] = [textIn(row, "id"), textIn(row, "request")]
            return id === undefined || request === undefined ? [] : [{ id, request }]
          })
          for (const { id } of found) yield* sql`update web_requests set state = 'taken' where id = ${id}`
          return found
        })
      )
    }),

  /** Stores the answer in place of the request. Returns false if the caller has gone. */
  answer: (id: string, answer: string) =>
    transact(
      Effect.map(
        sql`update web_requests set state = 'answered', answer = ${answer}, request = '' where id = ${id} returning id`,
        (rows) => rows.length > 0
      )
    ),

  /** Releases requests that a page has taken and does not work on: a caller that still waits asks again. */
  release: (account: string, underWay: ReadonlyArray<string>) =>
    transact(
      Effect.asVoid(
        sql`delete from web_requests where account = ${account} and state = 'taken'
          and ${underWay.length === 0 ? sql`1 = 1` : sql`not ${sql.in("id", underWay)}`}`
      )
    ),

  /** Removes finished requests of all pages. */
  tidy: Effect.flatMap(Clock.currentTimeMillis, (now) =>
    transact(Effect.asVoid(sql`delete from web_requests where at < ${now - keptMs}`))
  )
})

export type RequestTable = ReturnType<typeof makeRequestTable>
