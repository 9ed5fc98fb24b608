/** The two kinds of single statements on the page's tables. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"

type Statement<A> = Effect.Effect<A, SqlError.SqlError>

export const statements = ({ transact, read }: Pick<OpenStore, "transact" | "read">) => ({
  select: <A>(query: Statement<ReadonlyArray<object>>, decode: (rows: ReadonlyArray<object>) => A) =>
    read(Effect.map(query, decode)),
  execute: (statement: Statement<unknown>) => transact(Effect.asVoid(statement))
})
