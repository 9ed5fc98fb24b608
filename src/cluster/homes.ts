/**
 * The homes of a cluster, as rows: each has files of sessions, and runs turns. A home has a name, a random id that was made
 * once in its state directory, and a number by which the engine knows it. Times are those of the database.
 */
import { hostname } from "node:os"
import { Clock, Effect, Option } from "effect"
import { present } from "../contract/present.ts"
import { plural } from "../contract/text/amounts.ts"
import { untraced } from "../contract/untraced.ts"
import { countIn, textIn, wordIn } from "../conversations/store/columns.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { ClusterError } from "./ClusterError.ts"

/** Between the heartbeats of a home. */
export const beatMs = 3_000
/** A home without a heartbeat for so long is taken to be down. */
const downMs = 15_000

/** Version of the messages between machines. */
export const protocol = 1

/** Limit of the numbers of homes: the engine's list of groups is the same on all machines. */
export const mostHomes = 256
const homeStates = ["serving", "leaving", "stopped", "removed"] as const

export interface Home {
  readonly id: string
  readonly name: string
  readonly slot: number
  /** Address for other machines; absent if it does not listen. */
  readonly address?: string
  /** The name of its machine. */
  readonly host: string
  readonly version: string
  readonly protocol: number
  readonly clis: ReadonlyArray<string>
  /** Directories in which agents may work. */
  readonly directories: ReadonlyArray<string>
  readonly state: (typeof homeStates)[number]
  /** Whether its last heartbeat is recent. */
  readonly isUp: boolean
  /** Numbers of pending and running turns. */
  readonly waiting: number
  readonly running: number
  /** Number of conversations with their files there. */
  readonly conversations: number
}

const form = /^[a-z0-9][a-z0-9-]{0,31}$/

/** A name of a home is a DNS name, too, for its certificate. */
export const checkHomeName = (name: string) =>
  form.test(name)
    ? Effect.succeed(name)
    : Effect.fail(
        new ClusterError({
          code: "home_name",
          problem: `${JSON.stringify(name.slice(0, 60))} is not a name of a home`,
          cure: "use 1 to 32 of a–z, 0–9 and -, such as build-1"
        })
      )

/** The time of the database, in ms; of this machine for a store in a file. */
export const storeNow = ({ sql, read, kind }: OpenStore) =>
  kind === "postgres"
    ? Effect.map(
        read(sql<object>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`),
        ([row = {}]) => countIn(row, "now") ?? 0
      )
    : Clock.currentTimeMillis

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const textsIn = (row: object, column: string): ReadonlyArray<string> => {
  const found = Option.getOrUndefined(parse(textIn(row, column) ?? "[]"))
  return Array.isArray(found) ? found.filter((text) => typeof text === "string").slice(0, 1_000) : []
}

const homeOfRow = (row: object, now: number): ReadonlyArray<Home> => {
  const [id, name] = [textIn(row, "id"), textIn(row, "name")]
  const [slot, state] = [countIn(row, "slot"), wordIn(row, "state", homeStates)]
  if (id === undefined || name === undefined || slot === undefined || state === undefined) return []
  const beat = countIn(row, "beat") ?? 0
  const home: Home = {
    id,
    name,
    slot,
    host: textIn(row, "host") ?? "",
    version: textIn(row, "version") ?? "",
    protocol: countIn(row, "protocol") ?? 0,
    clis: textsIn(row, "clis"),
    directories: textsIn(row, "directories"),
    state,
    isUp: (state === "serving" || state === "leaving") && now - beat < downMs,
    waiting: countIn(row, "waiting") ?? 0,
    running: countIn(row, "running") ?? 0,
    conversations: countIn(row, "conversations") ?? 0,
    ...present({ address: textIn(row, "address") })
  }
  return [home]
}

export const listHomes = (store: OpenStore) =>
  Effect.gen(function* () {
    const { sql, read } = store
    const now = yield* storeNow(store)
    const rows = yield* read(sql<object>`select h.*,
      (select count(*) from turns t where t.for_home = h.id and t.state = 'queued') as waiting,
      (select count(*) from turns t where t.for_home = h.id and t.state in ('claimed', 'spawned')) as running,
      (select count(*) from sessions s where s.home = h.id and s.conversation is not null) as conversations
      from cluster_homes h order by h.name`)
    return rows.flatMap((row) => homeOfRow(row, now))
  })

interface HomeFacts extends Pick<Home, "name" | "version" | "clis" | "directories"> {
  readonly address: string | undefined
}

const freeSlot = (taken: ReadonlyArray<number>) => {
  const used = new Set(taken)
  for (let slot = 1; slot <= mostHomes; slot += 1) if (!used.has(slot)) return slot
  return undefined
}

/** Used only if no number is free: a removed home may still run somewhere, and have its number until it ends. */
const slotOfRemoved = Effect.fn(...untraced("Homes.slotOfRemoved"))(function* (
  { sql }: OpenStore,
  all: ReadonlyArray<Home>
) {
  // The homes are sorted by their heartbeats: the first is the least recently seen.
  const removed = all.find(({ state, slot }) => state === "removed" && slot > 0)
  if (removed === undefined) return undefined
  const none = Math.min(0, ...all.map(({ slot }) => slot)) - 1
  yield* sql`update cluster_homes set slot = ${none} where id = ${removed.id}`
  return removed.slot
})

const nameTaken = (name: string, host: string) =>
  new ClusterError({
    code: "home_taken",
    problem: `the home ${name} is another one, on ${host}`,
    cure: `choose another name, or, if that machine is gone for good: reins serve --remove-home ${name}, with the same --database`
  })

/** Puts this home into the list, as serving. Refuses the name of another home, whether or not that runs. */
export const claimHome = (store: OpenStore, facts: HomeFacts) =>
  Effect.gen(function* () {
    const { sql, transact, home: id } = store
    const now = yield* storeNow(store)
    return yield* transact(
      Effect.gen(function* () {
        const rows = yield* sql<object>`select * from cluster_homes order by beat`
        const all = rows.flatMap((row) => homeOfRow(row, now))
        const other = all.find(({ name }) => name === facts.name)
        if (other !== undefined && other.id !== id && other.state !== "removed")
          return yield* nameTaken(facts.name, other.host)
        // The row of a removed home stays: its turns name it.
        if (other !== undefined && other.id !== id)
          yield* sql`update cluster_homes set name = ${`${facts.name}-removed-${other.id.slice(-12)}`} where id = ${other.id}`
        const own = all.find((home) => home.id === id)?.slot ?? 0
        const slot = own > 0 ? own : (freeSlot(all.map((home) => home.slot)) ?? (yield* slotOfRemoved(store, all)))
        if (slot === undefined)
          return yield* new ClusterError({
            code: "full",
            problem: `the cluster has ${plural(mostHomes, "home")}, the most that are possible`,
            cure: "serve from one of them, or give one up that is gone: reins serve --remove-home NAME"
          })
        const row = {
          id,
          name: facts.name,
          slot,
          address: facts.address ?? null,
          host: hostname(),
          version: facts.version,
          protocol,
          clis: JSON.stringify(facts.clis),
          directories: JSON.stringify(facts.directories),
          state: "serving",
          started: now,
          beat: now
        }
        yield* sql`insert into cluster_homes ${sql.insert(row)} on conflict (id) do update set name = excluded.name,
          slot = excluded.slot, address = excluded.address, host = excluded.host, version = excluded.version, protocol = excluded.protocol,
          clis = excluded.clis, directories = excluded.directories, state = 'serving', started = excluded.started,
          beat = excluded.beat`
        return slot
      })
    )
  })

/** Writes the heartbeat of this home. */
export const beat = (store: OpenStore) =>
  Effect.gen(function* () {
    const { sql, transact, home } = store
    const now = yield* storeNow(store)
    yield* transact(sql`update cluster_homes set beat = ${now} where id = ${home} and state in ('serving', 'leaving')`)
    return now
  })

export const setHomeState = ({ sql, transact, home }: OpenStore, state: "leaving" | "stopped") =>
  transact(sql`update cluster_homes set state = ${state} where id = ${home} and state in ('serving', 'leaving')`)
