/**
 * The tables, in steps that go forward only: a store has done the first of them, in this order, and does the others when it
 * is opened. The same statements on SQLite and PostgreSQL but for the types. Times are in ms since 1970, UTC. Within a
 * minor version of the package, steps only add.
 */
import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"

/** Its columns are of `Migrator`. */
export const migrationsTable = "reins_migrations"

const types = {
  sqlite: { int: "integer", bytes: "blob", end: "strict" },
  pg: { int: "bigint", bytes: "bytea", end: "" }
}

type Types = (typeof types)["sqlite"]

const steps: ReadonlyArray<readonly [name: string, statements: (types: Types) => ReadonlyArray<string>]> = [
  [
    "sessions",
    ({ int, bytes, end }) => [
      `create table sessions (
        key text primary key not null,
        home text not null,
        cli text not null,
        session_id text not null,
        conversation text,
        directory text,
        model text,
        title text,
        origin text not null check (origin in ('reins', 'adopted')),
        state text not null check (state in ('live', 'dead', 'quarantined', 'archived')),
        failures ${int} not null default 0,
        parent_key text,
        created ${int} not null,
        used ${int} not null,
        expires ${int},
        turns ${int} not null default 0,
        last_run text,
        unique (home, cli, session_id)
      ) ${end}`,
      "create index sessions_used on sessions (used)",
      "create index sessions_conversation on sessions (conversation)",
      `create table conversations (
        conversation text not null,
        cli text not null,
        session_key text not null references sessions (key) on delete cascade,
        primary key (conversation, cli)
      ) ${end}`,
      "create index conversations_session on conversations (session_key)",
      `create table turns (
        turn_id text primary key not null,
        conversation text not null,
        cli text not null,
        seq ${int} not null,
        state text not null check (state in ('queued', 'claimed', 'spawned', 'done', 'interrupted')),
        run_id text,
        session_key text,
        prompt text,
        params text,
        digest text not null,
        result text,
        created ${int} not null,
        claimed ${int},
        ended ${int},
        unique (conversation, cli, seq)
      ) ${end}`,
      "create index turns_open on turns (state, created)",
      `create table runs (
        run_id text primary key not null,
        turn_id text,
        session_key text,
        cli text not null,
        started ${int} not null,
        ended ${int},
        outcome text,
        reason text,
        home text not null,
        host text not null,
        realm text,
        pid ${int} not null,
        process_start text,
        trace_id text
      ) ${end}`,
      "create index runs_session on runs (session_key)",
      "create index runs_open on runs (home, ended)",
      `create table transcript (
        session_key text not null references sessions (key) on delete cascade,
        position ${int} not null,
        run_id text not null,
        at ${int} not null,
        event text not null,
        primary key (session_key, position)
      ) ${end}`,
      "create index transcript_run on transcript (run_id)",
      `create table blobs (
        hash text primary key not null,
        bytes ${bytes} not null,
        created ${int} not null
      ) ${end}`
    ]
  ],
  [
    "forks of conversations",
    // 1: the next turn goes on in a fork of the session.
    ({ int }) => [`alter table conversations add column forks ${int} not null default 0`]
  ]
]

/** The number of the newest schema that this version knows. */
export const newestSchema = steps.length

const runStep = (statements: (typeof steps)[number][1]) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const forDialect = sql.onDialectOrElse({ pg: () => types.pg, orElse: () => types.sqlite })
    for (const statement of statements(forDialect)) yield* sql.unsafe(statement)
  })

/** Of several processes that call it at once, one does each step. */
export const migrate = Migrator.make({})({
  loader: Effect.succeed(
    steps.map(([name, statements], index) => [index + 1, name, Effect.succeed(runStep(statements))] as const)
  ),
  table: migrationsTable
})
