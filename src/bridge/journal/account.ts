/**
 * The account of a channel that a server has, and how it changes the store: each change looks, in its transaction, whether
 * the account is still its own.
 */
import { hostname } from "node:os"
import { Clock, Context, Duration, Effect, Exit, Scope } from "effect"
import type { SqlError } from "effect/sql"
import type { StoreError } from "../../contract/StoreError.ts"
import { countIn, textIn } from "../../conversations/store/columns.ts"
import { inProcess, makeNameLocks, type NameLocks } from "../../conversations/store/nameLocks.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { heldLock, isAdvisoryTaken } from "./advisoryLock.ts"
import { ChannelLost, ChannelTaken } from "./JournalError.ts"

/** Why a change was not made. */
export type ChangeError = StoreError | ChannelLost

/** The context of the journal's statements. */
export interface Account {
  readonly channel: string
  readonly accountId: string
  readonly store: OpenStore
  /** All of it or nothing, and only while the account is this server's. */
  readonly change: <A, E, R>(
    work: Effect.Effect<A, E | SqlError.SqlError, R>
  ) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | ChangeError, R>
  /** Fails once the account is known to be another's. */
  readonly lost: Effect.Effect<never, ChannelLost>
}

/**
 * How long the database may be away before an account on a server counts as lost. If other servers wait for the
 * account, they have it by then; otherwise even the longest outage ends nothing.
 */
export const AccountPatience = Context.Reference<Duration.Input>("reins/journal/AccountPatience", {
  defaultValue: () => Duration.infinity
})

/** Its number, one above that of the server before. */
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

/** Who has an account now: asked, not taken. */
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
  const { sql, transact } = store
  const lost = new ChannelLost({ channel, accountId })
  const isStill = Effect.map(
    sql<object>`select epoch from channel_servers where channel = ${channel} and account = ${accountId}`,
    ([row = {}]) => countIn(row, "epoch") === epoch
  )
  const stillMine = Effect.filterOrFail(
    isStill,
    (isIt) => isIt,
    () => lost
  )
  return {
    channel,
    accountId,
    store,
    change: (work) => transact(Effect.andThen(stillMine, work)),
    lost:
      advisory === undefined
        ? Effect.never
        : Effect.andThen(advisory.lost(store.read(isStill), yield* AccountPatience), lost)
  }
})
