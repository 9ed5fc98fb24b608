/** An account of a channel that a server owns. Each change checks in its transaction that it still does. */
import { hostname } from "node:os"
import { Clock, Context, Duration, Effect, Exit, Scope } from "effect"
import type { SqlError, Statement } from "effect/sql"
import type { StoreError } from "../../contract/StoreError.ts"
import { countIn, textIn } from "../../conversations/store/columns.ts"
import { inProcess, makeNameLocks, type NameLocks } from "../../conversations/store/nameLocks.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { ChannelLost, ChannelTaken } from "../ServeError.ts"
import { heldLock, isAdvisoryTaken } from "./advisoryLock.ts"

/** Why a change was not made. */
export type ChangeError = StoreError | ChannelLost

/** The context of the journal's statements. */
export interface Account {
  readonly channel: string
  readonly accountId: string
  readonly store: OpenStore
  /** Condition for the rows of the account. */
  readonly mine: Statement.Fragment
  /** Reads rows, and what `of` makes of them. */
  readonly find: <A>(
    rows: Effect.Effect<ReadonlyArray<object>, SqlError.SqlError>,
    of: (rows: ReadonlyArray<object>) => A
  ) => Effect.Effect<A, StoreError>
  /** All of it or nothing, and only while the account is this server's. */
  readonly change: <A, E, R>(
    work: Effect.Effect<A, E | SqlError.SqlError, R>
  ) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | ChangeError, R>
  /** A change by one statement, which returns the changed rows: whether there are any. */
  readonly step: <E>(
    rows: Effect.Effect<ReadonlyArray<unknown>, E | SqlError.SqlError>
  ) => Effect.Effect<boolean, Exclude<E, SqlError.SqlError> | ChangeError>
  /** Fails once the account is known to be another's. */
  readonly lost: Effect.Effect<never, ChannelLost>
}

/**
 * Longest time that a database server may be away before its account counts as lost; other servers that wait for the
 * account have it by then. By default even the longest outage ends nothing.
 */
export const AccountPatience = Context.Reference<Duration.Input>("reins/journal/AccountPatience", {
  defaultValue: () => Duration.infinity
})

/** The number of this ownership: one above that of the server before. */
const nextEpoch = ({ sql, transact, home }: OpenStore, channel: string, account: string) =>
  transact(
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const [before = {}] = yield* sql<object>`select epoch from channel_servers
        where channel = ${channel} and account = ${account}`
      const epoch = (countIn(before, "epoch") ?? 0) + 1
      const row = { channel, account, epoch, home, host: hostname(), at }
      yield* sql`insert into channel_servers ${sql.insert(row)} on conflict (channel, account) do update
        set epoch = ${epoch}, home = ${home}, host = ${hostname()}, at = ${at}`
      return epoch
    })
  )

const hostOf = ({ sql, read }: OpenStore, channel: string, account: string) =>
  read(
    Effect.map(
      sql<object>`select host from channel_servers where channel = ${channel} and account = ${account}`,
      ([row = {}]) => textIn(row, "host")
    )
  )

const lockName = (channel: string, accountId: string) => JSON.stringify([channel, accountId])

/** Rows that this version can read. */
export const readRows =
  <Row>(rowOf: (row: object) => Row | undefined) =>
  (rows: ReadonlyArray<object>): ReadonlyArray<Row> =>
    rows.flatMap((row) => rowOf(row) ?? [])
const memories = new WeakMap<OpenStore["sql"], Pick<NameLocks, "take">>()

/** All users of a store in memory are in this process. */
const inMemory = ({ sql }: OpenStore) => {
  const present = memories.get(sql) ?? { take: inProcess() }
  memories.set(sql, present)
  return present
}

const locksOf = (store: OpenStore) =>
  store.kind === "memory" ? Effect.succeed(inMemory(store)) : makeNameLocks(store, "channel")

export interface AccountLock {
  /** A process of this machine has it. */
  readonly isHere: boolean
  /** Some machine has it. */
  readonly isTaken: boolean
}

/** Tells who has an account now, without taking it. */
export const accountLock = Effect.fnUntraced(function* (
  store: OpenStore,
  channel: string,
  accountId: string
): Effect.fn.Return<AccountLock, StoreError> {
  const name = lockName(channel, accountId)
  const { take } = yield* locksOf(store)
  const isHere = !(yield* Effect.scoped(take(name)))
  return { isHere, isTaken: store.kind === "postgres" ? yield* isAdvisoryTaken(store, name) : isHere }
})

/** Takes the account until the scope closes. Fails while another server has it, and then holds nothing. */
export const takeAccount = (
  store: OpenStore,
  channel: string,
  accountId: string
): Effect.Effect<Account, StoreError | ChannelTaken, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const taking = Scope.provide(taken(store, channel, accountId), scope)
    return yield* Effect.onError(taking, (cause) => Scope.close(scope, Exit.failCause(cause)))
  })

const taken = Effect.fnUntraced(function* (
  store: OpenStore,
  channel: string,
  accountId: string
): Effect.fn.Return<Account, StoreError | ChannelTaken, Scope.Scope> {
  const name = lockName(channel, accountId)
  const locks = yield* locksOf(store)
  const advisory = store.kind === "postgres" ? yield* heldLock(store, name) : undefined
  if (advisory?.isMine === false || !(yield* locks.take(name))) {
    const host = yield* hostOf(store, channel, accountId)
    return yield* new ChannelTaken({ channel, accountId, ...(host === undefined ? {} : { host }) })
  }
  const epoch = yield* nextEpoch(store, channel, accountId)
  const { sql, read, transact } = store
  const lost = new ChannelLost({ channel, accountId })
  const isStill = Effect.map(
    sql<object>`select epoch from channel_servers where channel = ${channel} and account = ${accountId}`,
    ([row = {}]) => countIn(row, "epoch") === epoch
  )
  const stillMine = Effect.flatMap(isStill, (isIt) => (isIt ? Effect.void : Effect.fail(lost)))
  const change: Account["change"] = (work) => transact(Effect.andThen(stillMine, work))
  return {
    channel,
    accountId,
    store,
    mine: sql`channel = ${channel} and account = ${accountId}`,
    find: (rows, of) => read(Effect.map(rows, of)),
    change,
    step: (rows) => change(Effect.map(rows, ({ length }) => length > 0)),
    lost:
      advisory === undefined
        ? Effect.never
        : Effect.andThen(advisory.lost(store.read(isStill), yield* AccountPatience), lost)
  }
})
