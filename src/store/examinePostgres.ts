/** A store on a PostgreSQL server, examined for `doctor`: nothing is begun or migrated. */
import { Effect, Result } from "effect"
import { reveal } from "../contract/input.ts"
import { StoreError } from "../contract/StoreError.ts"
import type { StoreReport } from "../types/DoctorReport.ts"
import type { MaybeSecret } from "../types/Input.ts"
import { checkSchema } from "./migrated.ts"
import { newestSchema } from "./migrations.ts"
import { connect, migrationLock } from "./postgresStore.ts"
import { placeOf } from "./postgresUrl.ts"
import { patiently } from "./transact.ts"

const measure = (url: string, place: string) =>
  Effect.gen(function* () {
    const sql = yield* connect(url)
    const schema = yield* checkSchema(sql, place)
    const [counted] = schema === 0 ? [] : yield* sql<{ sessions: number }>`select count(*) as sessions from sessions`
    const [server] = yield* sql<{ version: string }>`select current_setting('server_version') as version`
    const [lock] = yield* sql.withTransaction(
      sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${migrationLock}) as taken`
    )
    return {
      status: schema === 0 ? "absent" : "good",
      schema,
      database: `PostgreSQL ${server?.version}`,
      locks: lock !== undefined,
      ...(counted === undefined ? {} : counted)
    } as const
  }).pipe(Effect.scoped)

export const examinePostgres = (given: MaybeSecret): Effect.Effect<StoreReport> =>
  Effect.gen(function* () {
    const url = reveal(given)
    const place = Result.getOrElse(placeOf(url), () => "PostgreSQL")
    const known = { kind: "postgres", place, supported: newestSchema, movedAside: [] } as const
    const invalid = Result.getFailure(placeOf(url))
    const examined =
      invalid._tag === "Some"
        ? Effect.fail(new StoreError({ reason: invalid.value }))
        : Effect.map(patiently(measure(url, place)), (found): StoreReport => ({ ...known, ...found }))
    return yield* Effect.catch(examined, ({ reason, help }) =>
      Effect.succeed<StoreReport>({
        ...known,
        status: reason._tag === "StoreTooNew" ? "newer" : "unusable",
        problem: `${reason.message}.`,
        cure: help
      })
    )
  })
