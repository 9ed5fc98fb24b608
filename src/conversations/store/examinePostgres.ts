/** Examines a store on a PostgreSQL server for `doctor`: creates and migrates nothing. */
import { Effect, Result } from "effect"
import type { StoreReport } from "../../contract/DoctorReport.ts"
import { type MaybeSecret, reveal } from "../../contract/Redacted.ts"
import { StoreError } from "../../contract/StoreError.ts"
import { checkSchema } from "./migrated.ts"
import { newestSchema } from "./migrations.ts"
import { addressOf, makeSockets, type PostgresAddress } from "./postgresServer.ts"
import { connect, migrationLock } from "./postgresStore.ts"
import { patiently } from "./transact.ts"

const measure = (url: string, address: PostgresAddress) => {
  const { open, answered } = makeSockets(address)
  const facts = Effect.gen(function* () {
    const sql = yield* connect(url, open)
    const schema = yield* checkSchema(sql, address.place)
    const [counted] = schema === 0 ? [] : yield* sql<{ sessions: number }>`select count(*) as sessions from sessions`
    const [server] = yield* sql<{ version: string }>`select current_setting('server_version') as version`
    const lock = sql`select pg_try_advisory_xact_lock(${migrationLock})`
    return {
      status: schema === 0 ? "absent" : "good",
      schema,
      database: `PostgreSQL ${server?.version}`,
      locks: (yield* sql.withTransaction(lock)).length === 1,
      ...(counted === undefined ? {} : counted)
    } as const
  })
  return answered(patiently(Effect.scoped(facts)))
}

export const examinePostgres = (input: MaybeSecret): Effect.Effect<StoreReport> => {
  const url = reveal(input)
  const address = addressOf(url)
  const base = { kind: "postgres", place: "PostgreSQL", supported: newestSchema, movedAside: [] } as const
  const unusable = ({ reason, help }: StoreError, place: string): StoreReport => ({
    ...base,
    place,
    status: reason._tag === "StoreTooNew" ? "newer" : "unusable",
    problem: `${reason.message}.`,
    cure: help
  })
  if (Result.isFailure(address))
    return Effect.succeed(unusable(new StoreError({ reason: address.failure }), base.place))
  const { place } = address.success
  return Effect.match(measure(url, address.success), {
    onFailure: (error) => unusable(error, place),
    onSuccess: (found): StoreReport => ({ ...base, place, ...found })
  })
}
