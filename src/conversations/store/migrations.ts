/**
 * The tables, in forward-only steps; a store runs its missing steps when it is opened. SQLite and PostgreSQL differ
 * only in types. Times are in ms since 1970, UTC. Within a minor version of the package, steps only add.
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
  ],
  [
    "usage and budgets",
    ({ int, end }) => [
      // Only inserted into. Money in millionths of a US dollar; null: unknown.
      `create table usage_entries (
        entry_id text primary key not null,
        at ${int} not null,
        run_id text not null,
        turn_id text,
        session_id text,
        cli text not null,
        home text not null,
        model text,
        project text,
        user_name text,
        input ${int},
        output ${int},
        cache_read ${int},
        cache_write ${int},
        micros ${int},
        assumed ${int},
        source text not null check (source in ('cli', 'table', 'user', 'estimate', 'none')),
        price_version text,
        billing text not null check (billing in ('api', 'subscription', 'unknown')),
        turns ${int}
      ) ${end}`,
      "create index usage_entries_at on usage_entries (at, entry_id)",
      "create index usage_entries_run on usage_entries (run_id)",
      "create index usage_entries_session on usage_entries (session_id)",
      // Runs and turns without entries yet, with their usage so far.
      `create table usage_open (
        id text primary key not null,
        kind text not null check (kind in ('run', 'session', 'turn')),
        run_id text not null,
        session_id text,
        cli text not null,
        home text not null,
        model text,
        project text,
        user_name text,
        billing text not null,
        started ${int} not null,
        updated ${int} not null,
        assumed ${int},
        input ${int},
        output ${int},
        cache_read ${int},
        cache_write ${int},
        micros ${int}
      ) ${end}`,
      "create index usage_open_run on usage_open (home, run_id)",
      // One for each budget, subject and time: spent is the sum of the entries that match, reserved that of reservations.
      `create table budget_windows (
        window_key text primary key not null,
        budget text not null,
        per text not null check (per in ('all', 'run', 'session', 'project', 'user')),
        subject text not null,
        unit text not null check (unit in ('micros', 'tokens', 'turns')),
        counts_assumed ${int} not null,
        billing text,
        starts ${int} not null,
        ends ${int},
        spent ${int} not null,
        reserved ${int} not null
      ) ${end}`,
      "create index budget_windows_subject on budget_windows (per, subject, starts)",
      `create table reservations (
        id text not null,
        window_key text not null references budget_windows (window_key),
        amount ${int} not null,
        home text not null,
        created ${int} not null,
        primary key (id, window_key)
      ) ${end}`,
      "create index reservations_window on reservations (window_key)"
    ]
  ],
  [
    "the bridge",
    ({ int, end }) => [
      // Each server of a channel account has a number: writes of an earlier server change nothing.
      `create table channel_servers (
        channel text not null,
        account text not null,
        epoch ${int} not null,
        home text not null,
        host text not null,
        at ${int} not null,
        primary key (channel, account)
      ) ${end}`,
      `create table inbox (
        channel text not null,
        account text not null,
        update_id text not null,
        conversation text not null,
        seq ${int} not null,
        message_id text,
        message text,
        state text not null check (state in ('waiting', 'taken', 'done', 'dropped')),
        turn_id text,
        at ${int} not null,
        primary key (channel, account, update_id)
      ) ${end}`,
      "create index inbox_open on inbox (channel, account, state, seq)",
      "create index inbox_turn on inbox (turn_id)",
      "create index inbox_seq on inbox (seq)",
      // Pieces, in the order of seq for each conversation.
      `create table outbox (
        key text primary key not null,
        channel text not null,
        account text not null,
        conversation text not null,
        seq ${int} not null,
        kind text not null,
        turn_id text,
        send_id text,
        piece text,
        state text not null check (state in ('ready', 'sending', 'sent', 'held', 'unknown', 'failed')),
        after_id text,
        message_id text,
        reason text,
        tries ${int} not null default 0,
        not_before ${int} not null default 0,
        attempted ${int},
        at ${int} not null
      ) ${end}`,
      "create index outbox_open on outbox (channel, account, state, seq)",
      "create index outbox_send on outbox (send_id)",
      "create index outbox_turn on outbox (turn_id)",
      "create index outbox_seq on outbox (seq)",
      // Messages that an agent sent by a tool: their pieces are in the outbox.
      `create table gateway_sends (
        send_id text primary key not null,
        turn_id text not null,
        tool text not null,
        conversation text not null,
        text text,
        media text,
        at ${int} not null
      ) ${end}`,
      "create index gateway_sends_turn on gateway_sends (turn_id)",
      `create table bridge_requests (
        id text primary key not null,
        channel text not null,
        account text not null,
        conversation text not null,
        turn_id text not null,
        request_id text not null,
        request text,
        message_id text,
        state text not null check (state in ('open', 'answered', 'over')),
        answer text,
        person text,
        deadline ${int},
        at ${int} not null
      ) ${end}`,
      "create index bridge_requests_open on bridge_requests (channel, account, state)",
      `create table bridge_marks (
        channel text not null,
        account text not null,
        name text not null,
        value text not null,
        primary key (channel, account, name)
      ) ${end}`,
      `create table bridge_schedules (
        id text primary key not null,
        channel text not null,
        account text not null,
        conversation text not null,
        turn_id text,
        person text not null,
        cron text,
        run_at ${int},
        zone text,
        prompt text not null,
        state text not null check (state in ('asked', 'active', 'done', 'removed')),
        last_run ${int},
        at ${int} not null
      ) ${end}`,
      "create index bridge_schedules_open on bridge_schedules (channel, account, state)",
      `create table bridge_members (
        channel text not null,
        account text not null,
        person text not null,
        role text not null,
        at ${int} not null,
        primary key (channel, account, person)
      ) ${end}`,
      `create table bridge_chats (
        conversation text primary key not null,
        settings text not null,
        at ${int} not null
      ) ${end}`
    ]
  ],
  [
    "choices",
    ({ int }) => [
      // Messages whose turn was interrupted, until people decide.
      `alter table inbox add column asked ${int} not null default 0`,
      // For each run, in micro-dollars.
      `alter table bridge_schedules add column budget ${int}`
    ]
  ],
  [
    "the page",
    ({ int, end }) => [
      // Rows of the page in the order of seq. `heard`: a message of a person that the bridge has not taken in yet.
      `create table web_rows (
        account text not null,
        seq ${int} not null,
        chat text not null,
        kind text not null,
        row_key text,
        turn text,
        body text not null,
        heard text,
        at ${int} not null,
        primary key (account, seq)
      ) ${end}`,
      "create unique index web_rows_key on web_rows (account, row_key)",
      "create index web_rows_chat on web_rows (account, chat, seq)",
      "create index web_rows_turn on web_rows (account, turn, seq)",
      "create index web_rows_kind on web_rows (account, kind, seq)",
      `create table web_conversations (
        account text not null,
        chat text not null,
        person text not null,
        title text not null,
        state text not null check (state in ('running', 'asking', 'failed', 'interrupted', 'done')),
        archived ${int} not null default 0,
        agent text,
        model text,
        mode text,
        directory text,
        at ${int} not null,
        primary key (account, chat)
      ) ${end}`,
      "create index web_conversations_person on web_conversations (account, person, at)",
      `create table web_files (
        account text not null,
        id text not null,
        person text not null,
        name text not null,
        kind text not null,
        mime text,
        bytes ${int} not null,
        at ${int} not null,
        primary key (account, id)
      ) ${end}`,
      "create index web_files_person on web_files (account, person, at)"
    ]
  ],
  [
    "many machines",
    ({ int, end }) => [
      // The home that a turn is for; null for the home of its caller, by its run.
      "alter table turns add column for_home text",
      // 1: cancelled by its caller.
      `alter table turns add column stop ${int} not null default 0`,
      // 1: interrupted by others, since its home was given up; a later result is marked as late.
      `alter table turns add column given_up ${int} not null default 0`,
      "create index turns_home on turns (for_home, state)",
      // Turns to resume, among all that were ever interrupted.
      "create index turns_wanted on turns (for_home) where state = 'interrupted' and ended is null",
      // `slot`: a number of its own from 1 on, by which the engine of the cluster knows it.
      `create table cluster_homes (
        id text primary key not null,
        name text not null unique,
        slot ${int} not null unique,
        address text,
        host text not null,
        version text not null,
        protocol ${int} not null,
        clis text not null,
        directories text not null,
        state text not null check (state in ('serving', 'leaving', 'stopped', 'removed')),
        started ${int} not null,
        beat ${int} not null
      ) ${end}`,
      // Events of a turn for its caller on another machine, until they are read. An empty event is the last.
      `create table turn_events (
        turn_id text not null,
        position ${int} not null,
        event text not null,
        at ${int} not null,
        primary key (turn_id, position)
      ) ${end}`,
      "create index turn_events_at on turn_events (at)"
    ]
  ],
  [
    "moves",
    ({ int, end }) => [
      // A session on its way to another home. Its files are in `blobs` while it is packed.
      `create table session_moves (
        id text primary key not null,
        session_key text not null,
        from_home text not null,
        to_home text not null,
        directory text not null,
        state text not null check (state in ('asked', 'packed', 'done', 'failed')),
        problem text,
        payload text,
        asked ${int} not null,
        at ${int} not null
      ) ${end}`,
      "create index session_moves_from on session_moves (from_home, state)",
      "create index session_moves_to on session_moves (to_home, state)",
      "create index session_moves_session on session_moves (session_key, state)"
    ]
  ],
  [
    "pages that belong together",
    ({ int, end }) => [
      // Actions at one page in a conversation of another: `account` is the one that is asked.
      `create table web_requests (
        id text primary key not null,
        account text not null,
        request text not null,
        answer text,
        state text not null check (state in ('asked', 'taken', 'answered')),
        at ${int} not null
      ) ${end}`,
      "create index web_requests_account on web_requests (account, state, at)",
      "create index web_conversations_chat on web_conversations (chat)",
      "create index web_conversations_newest on web_conversations (person, at)",
      "create index web_files_id on web_files (id)"
    ]
  ],
  [
    "worktrees",
    ({ int, end }) => [
      // The worktree of a conversation in a repository. `top`: the working tree of the person. `base`: the commit on which it
      // was made. `applied`: the commit with the files that were applied last, to which later changes are relative.
      `create table worktrees (
        home text not null,
        conversation text not null,
        git_directory text not null,
        name text not null,
        path text not null,
        top text not null,
        base text not null,
        applied text,
        state text not null check (state in ('making', 'ready', 'stored')),
        created ${int} not null,
        used ${int} not null,
        primary key (home, conversation, git_directory)
      ) ${end}`,
      "create unique index worktrees_name on worktrees (home, git_directory, name)"
    ]
  ]
]

export const newestSchema = steps.length

const runStep = (statements: (typeof steps)[number][1]) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const forDialect = sql.onDialectOrElse({ pg: () => types.pg, orElse: () => types.sqlite })
    for (const statement of statements(forDialect)) yield* sql.unsafe(statement)
  })

/** To a version of the schema that may not be the newest. If several processes call it at once, one runs each step. */
export const migrateTo = (version: number) =>
  Migrator.make({})({
    loader: Effect.succeed(
      steps
        .slice(0, version)
        .map(([name, statements], index) => [index + 1, name, Effect.succeed(runStep(statements))] as const)
    ),
    table: migrationsTable
  })

export const migrate = migrateTo(newestSchema)
