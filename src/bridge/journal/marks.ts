/** Small things that a server must find again, by name: where its channel goes on, the progress message of a turn. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { textIn } from "../../conversations/store/columns.ts"
import type { Account } from "./account.ts"

/** A part of a transaction. */
export const writeMark = (sql: SqlClient.SqlClient, channel: string, account: string, name: string, value: string) =>
  sql`insert into bridge_marks ${sql.insert({ channel, account, name, value })}
    on conflict (channel, account, name) do update set value = ${value}`

export const makeMarks = ({ channel, accountId: account, store: { sql, read }, change }: Account) => {
  const mine = sql`channel = ${channel} and account = ${account}`
  return {
    /** The value of a name. */
    get: (name: string) =>
      read(
        Effect.map(sql<object>`select value from bridge_marks where ${mine} and name = ${name}`, ([row = {}]) =>
          textIn(row, "value")
        )
      ),
    /** Names that begin so, with their values. */
    all: (prefix: string) =>
      read(
        Effect.map(sql<object>`select name, value from bridge_marks where ${mine}`, (rows) =>
          rows.flatMap((row) => {
            const [name, value] = [textIn(row, "name"), textIn(row, "value")]
            return name?.startsWith(prefix) === true && value !== undefined ? [{ name, value }] : []
          })
        )
      ),
    /** Undefined removes it. */
    set: (name: string, value: string | undefined) =>
      change(
        value === undefined
          ? Effect.asVoid(sql`delete from bridge_marks where ${mine} and name = ${name}`)
          : Effect.asVoid(writeMark(sql, channel, account, name, value))
      )
  }
}
