/** The state of serving hosts, from the store: accounts, conversations, unsent messages, schedules. */
import { type Cron, Effect, Option, Result, Schema } from "effect"
import { cronOf, timesOf } from "../../bridge/gateway/cronTimes.ts"
import { accountLock } from "../../bridge/journal/account.ts"
import { writeMark } from "../../bridge/journal/marks.ts"
import { type Home, listHomes } from "../../cluster/homes.ts"
import { untraced } from "../../contract/untraced.ts"
import { countIn, textIn } from "../../conversations/store/columns.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"

/** Name of the mark that a running host leaves in its store, without secrets, for `reins serve --status`. */
const name = "serve"

export const Mark = Schema.Struct({
  pid: Schema.Int,
  startedAt: Schema.Finite,
  /** Without the key. */
  address: Schema.String,
  directory: Schema.String
})
export type Mark = typeof Mark.Type
const MarkJson = Schema.fromJsonString(Mark)
const encode = Schema.encodeSync(MarkJson)
const decode = Schema.decodeUnknownOption(MarkJson)

export const leaveMark = ({ sql, transact }: OpenStore, channel: string, account: string, mark: Mark) =>
  transact(Effect.asVoid(writeMark(sql, channel, account, name, encode(mark))))

const readMark = ({ sql, read }: OpenStore, channel: string, account: string) =>
  Effect.map(
    read(
      sql<{ readonly value: string }>`select value from bridge_marks
        where channel = ${channel} and account = ${account} and name = ${name}`
    ),
    ([row]) => Option.getOrUndefined(decode(row?.value))
  )

export interface AccountStatus {
  readonly channel: string
  readonly accountId: string
  readonly host: string
  /** By a running process of this machine. */
  readonly isServed: boolean
  /** By a running process of any machine. */
  readonly isTaken: boolean
  readonly mark: Mark | undefined
}

export interface ServeStatus {
  readonly accounts: ReadonlyArray<AccountStatus>
  readonly homes: ReadonlyArray<Home>
  readonly running: number
  readonly waiting: number
  readonly unsent: { readonly failed: number; readonly held: number; readonly unknown: number }
  /** The next runs of schedules, the soonest first. */
  readonly next: ReadonlyArray<{ readonly at: number; readonly prompt: string }>
}

const mostSchedules = 3

const accountsOf = Effect.fn(...untraced("ReadStatus.accountsOf"))(function* (store: OpenStore) {
  const { sql, read } = store
  const rows = yield* read(sql<object>`select channel, account, host from channel_servers order by channel, account`)
  return yield* Effect.forEach(rows, (row) =>
    Effect.gen(function* () {
      const [channel = "", accountId = "", host = ""] = ["channel", "account", "host"].map((name) => textIn(row, name))
      const { isHere: isServed, isTaken } = yield* accountLock(store, channel, accountId)
      const mark = yield* readMark(store, channel, accountId)
      return { channel, accountId, host, isServed, isTaken, mark } satisfies AccountStatus
    })
  )
})

const countOf = ({ sql, read }: OpenStore, state: string) =>
  Effect.map(
    read(sql<object>`select count(*) as count from outbox where state = ${state}`),
    ([row = {}]) => countIn(row, "count") ?? 0
  )

const conversationsIn = ({ sql, read }: OpenStore, state: string) =>
  Effect.map(
    read(sql<object>`select distinct conversation from inbox where state = ${state}`),
    (rows) => new Set(rows.map((row) => textIn(row, "conversation")))
  )

const nextOf = (row: object, now: number): number | undefined => {
  const [cron, zone] = [textIn(row, "cron"), textIn(row, "zone")]
  if (cron === undefined) return countIn(row, "run_at")
  const zoneOrHost = zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  return Result.match(cronOf(cron, zoneOrHost), {
    onSuccess: (read: Cron.Cron) => timesOf(read, now, 1)[0],
    onFailure: () => undefined
  })
}

export const readStatus = Effect.fn(...untraced("Program.readStatus"))(function* (store: OpenStore, now: number) {
  const { sql, read } = store
  const [taken, waiting] = [yield* conversationsIn(store, "taken"), yield* conversationsIn(store, "waiting")]
  const schedules = yield* read(
    sql<object>`select cron, run_at, zone, prompt from bridge_schedules where state = 'active'`
  )
  const next = schedules.flatMap((row) => {
    const at = nextOf(row, now)
    return at === undefined ? [] : [{ at, prompt: textIn(row, "prompt") ?? "" }]
  })
  return {
    accounts: yield* accountsOf(store),
    homes: yield* listHomes(store),
    running: taken.size,
    waiting: [...waiting].filter((conversation) => !taken.has(conversation)).length,
    unsent: {
      failed: yield* countOf(store, "failed"),
      held: yield* countOf(store, "held"),
      unknown: yield* countOf(store, "unknown")
    },
    next: next.sort((a, b) => a.at - b.at).slice(0, mostSchedules)
  } satisfies ServeStatus
})
