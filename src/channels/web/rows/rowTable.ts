/** The table of rows: written in the order of their numbers, which are never reused, and read from any number on. */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { countIn, textIn } from "../../../conversations/store/columns.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import { Store } from "../../../conversations/store/Store.ts"
import { Page } from "../page.ts"
import { compacted, type Numbered } from "./compact.ts"
import type { NewRow, StoredRow, WebRow } from "./row.ts"
import { statements } from "./statements.ts"

/** A written row: its number, or that of the existing row with its key. */
export interface Written {
  readonly id: number
  readonly isNew: boolean
}

/** A row for pages, as stored JSON. */
export interface PageRow {
  readonly id: number
  /** JSON of the row with its number and time. */
  readonly json: string
}

const bodyOf = (row: object): WebRow | undefined => {
  try {
    return JSON.parse(textIn(row, "body") ?? "") as WebRow // written by `append`
  } catch {
    return undefined
  }
}

const pageRow = (row: object): ReadonlyArray<PageRow> => {
  const [id, at, body] = [countIn(row, "seq"), countIn(row, "at"), textIn(row, "body")]
  if (id === undefined || at === undefined || body?.startsWith("{") !== true) return []
  return [{ id, json: `{"id":${id},"at":${at},${body.slice(1)}` }]
}

const numbered = (row: object): ReadonlyArray<Numbered> => {
  const [id, body] = [countIn(row, "seq"), bodyOf(row)]
  return id === undefined || body === undefined ? [] : [{ id, body }]
}

/** Rows that are read at once; below, limits of one page of earlier rows. */
const batch = 200
const mostAtOnce = 20_000
const mostBytes = 8_000_000

/** Number of the first row within the size limit, which includes at least one row; 0 without rows. */
const withinBytes = (sizes: ReadonlyArray<object>): number => {
  let bytes = 0
  const end = sizes.findIndex((row) => {
    bytes += countIn(row, "bytes") ?? 0
    return bytes > mostBytes
  })
  const last = sizes[end < 0 ? sizes.length - 1 : Math.max(0, end - 1)]
  return last === undefined ? 0 : (countIn(last, "seq") ?? 0)
}

export const makeRowTable = ({ sql, transact, read }: OpenStore, account: string) => {
  const { select, execute } = statements({ transact, read })
  const mine = sql`account = ${account}`

  /** Numbers are never reused, even after removals: the caller passes the largest one in `least`. */
  const append = (rows: ReadonlyArray<NewRow>, least: number) =>
    transact(
      Effect.gen(function* (): Effect.fn.Return<ReadonlyArray<Written>, SqlError.SqlError> {
        const [newest = {}] = yield* sql<object>`select max(seq) as seq from web_rows where ${mine}`
        let seq = Math.max(least, countIn(newest, "seq") ?? 0)
        const results: Array<Written> = []
        for (const { chat, body, key, turn, heard: isHeard, at } of rows) {
          if (key !== undefined) {
            const [there] = yield* sql<object>`select seq from web_rows where ${mine} and row_key = ${key}`
            const id = there === undefined ? undefined : countIn(there, "seq")
            if (id !== undefined) {
              results.push({ id, isNew: false })
              continue
            }
          }
          seq += 1
          const own = { account, seq, chat, kind: body.row, row_key: key ?? null, turn: turn ?? null }
          yield* sql`insert into web_rows
            ${sql.insert({ ...own, body: JSON.stringify(body), heard: isHeard ?? null, at })}`
          results.push({ id: seq, isNew: true })
        }
        return results
      })
    )

  const firstOfNewest = (chat: string, before: number, messages: number) =>
    Effect.gen(function* () {
      const [row = {}] = yield* sql<object>`select seq from web_rows where ${mine} and chat = ${chat}
        and kind = 'message' and seq < ${before} order by seq desc limit 1 offset ${messages - 1}`
      const first = countIn(row, "seq") ?? 0
      const sizes = yield* sql<object>`select seq, octet_length(body) as bytes from web_rows where ${mine}
        and chat = ${chat} and seq >= ${first} and seq < ${before} order by seq desc limit ${mostAtOnce}`
      return Math.max(first, withinBytes(sizes))
    })

  return {
    append,

    /** A batch of a conversation's rows after a number, in order. */
    after: (chat: string, id: number) =>
      select(
        sql<object>`select seq, at, body from web_rows where ${mine} and chat = ${chat} and seq > ${id}
          order by seq limit ${batch}`,
        (rows) => rows.flatMap(pageRow)
      ),

    /** The number before the newest turns of a conversation. */
    beforeNewest: (chat: string, turns: number) =>
      read(Effect.map(firstOfNewest(chat, Number.MAX_SAFE_INTEGER, turns), (id) => Math.max(0, id - 1))),

    /** The turns before a number, in order. */
    before: (chat: string, id: number, turns: number) =>
      read(
        Effect.gen(function* () {
          const first = yield* firstOfNewest(chat, id, turns)
          const rows = yield* sql<object>`select seq, at, body from web_rows where ${mine} and chat = ${chat}
            and seq >= ${first} and seq < ${id} order by seq`
          return rows.flatMap(pageRow)
        })
      ),

    /** The first and the last number of a conversation; 0 without rows. */
    ends: (chat: string) =>
      select(
        sql<object>`select min(seq) as oldest, max(seq) as newest from web_rows where ${mine} and chat = ${chat}`,
        ([row = {}]) => ({ oldest: countIn(row, "oldest") ?? 0, newest: countIn(row, "newest") ?? 0 })
      ),

    newest: select(
      sql<object>`select max(seq) as seq from web_rows where ${mine}`,
      ([row = {}]) => countIn(row, "seq") ?? 0
    ),

    get: (chat: string, id: number) =>
      select(
        sql<object>`select seq, at, body from web_rows where ${mine} and chat = ${chat} and seq = ${id}`,
        ([row]): StoredRow | undefined => {
          const body = row && bodyOf(row)
          return body && row ? { ...body, id, at: countIn(row, "at") ?? 0 } : undefined
        }
      ),

    ofKey: (key: string) =>
      select(sql<object>`select seq from web_rows where ${mine} and row_key = ${key}`, ([row]) =>
        row === undefined ? undefined : countIn(row, "seq")
      ),

    /** Rows of a turn, in order. */
    ofTurn: (turn: string) =>
      select(sql<object>`select seq, body from web_rows where ${mine} and turn = ${turn} order by seq`, (rows) =>
        rows.flatMap(numbered)
      ),

    /** User messages after a number that the bridge has not received. */
    heard: (id: number) =>
      select(
        sql<object>`select seq, heard from web_rows where ${mine} and kind = 'message' and seq > ${id}
          and heard is not null order by seq limit ${batch}`,
        (rows) =>
          rows.flatMap((row) => {
            const [seq, text] = [countIn(row, "seq"), textIn(row, "heard")]
            return seq === undefined || text === undefined ? [] : [{ id: seq, text }]
          })
      ),

    /** Marks messages up to a number as received, once they are in the journal. */
    taken: (id: number) =>
      execute(sql`update web_rows set heard = null where ${mine} and seq <= ${id} and heard is not null`),

    /** Shrinks a finished turn. */
    compact: (turn: string) =>
      transact(
        Effect.gen(function* () {
          const rows = yield* sql<object>`select seq, body from web_rows where ${mine} and turn = ${turn} order by seq`
          const { changed, removed } = compacted(rows.flatMap(numbered))
          for (const { id, body } of changed) {
            yield* sql`update web_rows set body = ${JSON.stringify(body)} where ${mine} and seq = ${id}`
          }
          for (let at = 0; at < removed.length; at += batch) {
            yield* sql`delete from web_rows where ${mine} and ${sql.in("seq", removed.slice(at, at + batch))}`
          }
          return removed.length
        })
      )
  }
}

/** The rows of the page. */
export class RowTable extends Context.Service<RowTable, ReturnType<typeof makeRowTable>>()("reins/web/RowTable") {
  static readonly layer = Layer.effect(
    RowTable,
    Effect.zipWith(Store, Page, (store, { accountId }) => makeRowTable(store, accountId))
  )
}
