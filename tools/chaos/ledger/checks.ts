/** Laws of a campaign, however its hosts died: all is counted anew, by other means; pure. */
import {
  budgets,
  type EntryRow,
  type Logs,
  mostOfRun,
  type ReservationRow,
  raised,
  type WindowRow,
  zone
} from "./logs.ts"

export interface Finding {
  readonly kind:
    | "missing entry"
    | "wrong entry"
    | "wrong sum"
    | "wrong reservations"
    | "never freed"
    | "over the limit"
    | "damaged"
    | "broken"
  readonly detail: string
}

type Check = (logs: Logs) => ReadonlyArray<Finding>

const groups = <A>(items: ReadonlyArray<A>, keyOf: (item: A) => string): ReadonlyMap<string, ReadonlyArray<A>> =>
  Map.groupBy(items, keyOf)

/** Log lines of its CLI, in order. */
const spentByRun = ({ cli }: Logs) => groups(cli, ({ run }) => run)

/** Every run that spent is in the ledger once, with a sum that its CLI once had; of a completed one, with the last. */
const entriesOfRuns: Check = (logs) => {
  const entries = groups(logs.entries, ({ run_id }) => run_id)
  const completed = new Map(
    logs.hosts.flatMap((line) =>
      line.is === "ended" && line.outcome === "completed" ? [[line.run ?? "", line.micros] as const] : []
    )
  )
  return [...spentByRun(logs)].flatMap(([run, lines]): ReadonlyArray<Finding> => {
    const own = entries.get(run) ?? []
    if (own.length === 0) return [{ kind: "missing entry", detail: `of ${run}, which spent ${lines.at(-1)?.spent}` }]
    const micros = own.some((entry) => entry.micros === null)
      ? null
      : own.reduce((sum, entry) => sum + (entry.micros ?? 0), 0)
    const known = completed.get(run)
    const isFinal = own.every(({ source }) => source === "cli")
    if (known !== undefined && (micros !== known || !isFinal || known !== lines.at(-1)?.spent)) {
      return [{ kind: "wrong entry", detail: `${run}: ${micros} in ${own.length}, not ${known}` }]
    }
    if (micros === null || lines.some(({ spent }) => spent === micros)) return []
    return [{ kind: "wrong entry", detail: `${run}: ${micros}, of ${lines.map(({ spent }) => spent).join(", ")}` }]
  })
}

const visible = (at: number, length: number) =>
  new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(at).slice(0, length)

/** Characters of a date that two moments of the same window share. */
const lengths = { run: 0, day: 10, month: 7, total: 0 } as const

const subjectOf = (entry: EntryRow, per: string): string | null => {
  if (per === "all") return ""
  if (per === "session") return entry.session_id === null ? null : `${entry.cli}/${entry.session_id}`
  return per === "project" ? entry.project : entry.user_name
}

const amountOf = (entry: EntryRow, { unit, counts_assumed }: WindowRow): number => {
  const { micros, assumed, input, output, cache_read, cache_write, turns } = entry
  if (unit === "tokens") return (input ?? 0) + (output ?? 0) + (cache_read ?? 0) + (cache_write ?? 0)
  if (unit === "turns") return turns ?? 0
  return micros ?? (counts_assumed === 1 ? (assumed ?? 0) : 0)
}

/** Σ entries = Σ spent, of each window. */
const sums: Check = ({ windows, entries }) =>
  windows.flatMap((window): ReadonlyArray<Finding> => {
    const { budget, per, subject, starts, spent } = window
    const length = lengths[budgets.find(({ name }) => name === budget)?.window ?? "total"]
    const matching = entries.filter(
      (entry) =>
        subjectOf(entry, per) === subject &&
        (window.billing ?? `,${entry.billing},`).split(",").includes(entry.billing) &&
        (length === 0 || visible(entry.at, length) === visible(starts, length))
    )
    const sum = matching.reduce((all, entry) => all + amountOf(entry, window), 0)
    return sum === spent
      ? []
      : [{ kind: "wrong sum", detail: `${budget} ${subject}: ${spent} spent, ${sum} in entries` }]
  })

const reservedIn = (windows: ReadonlyArray<WindowRow>, reservations: ReadonlyArray<ReservationRow>) =>
  windows.flatMap(({ window_key, budget, subject, reserved }): ReadonlyArray<Finding> => {
    const open = reservations.filter((reservation) => reservation.window_key === window_key)
    const sum = open.reduce((all, { amount }) => all + amount, 0)
    return sum === reserved
      ? []
      : [{ kind: "wrong reservations", detail: `${budget} ${subject}: ${reserved} reserved, ${sum} in ${open.length}` }]
  })

/** Open reservations = reserved; and 0 when those of the dead are closed. */
const reservations: Check = ({ left, windows, reservations: rows, open }) => [
  ...reservedIn(left.windows, left.reservations),
  ...reservedIn(windows, rows),
  ...(rows.length === 0 && open === 0
    ? []
    : [{ kind: "never freed", detail: `${rows.length} reservations, ${open} runs` } as const])
]

/** Runs that keep their reservations never exceed the limit. */
const keptLimit: Check = ({ over }) =>
  over.map(({ budget, subject, spent, reserved }) => ({
    kind: "over the limit",
    detail: `${budget} ${subject}: ${spent} spent, ${reserved} reserved`
  }))

/** How long a host that was stopped may have stood between its reservation and its spawn. */
const slackMs = 10_000

/** Others exceed it by no more than what those spend beyond their reservations that are open when the last one is let in. */
const raisedLimit: Check = (logs) => {
  const runs = spentByRun(logs)
  const reserve = raised.reserve * 1e6
  return logs.windows
    .filter(({ budget }) => budget === raised.name)
    .flatMap(({ subject, spent }): ReadonlyArray<Finding> => {
      const own = logs.entries.filter(({ user_name }) => user_name === subject)
      const timesOf = ({ run_id }: EntryRow) => runs.get(run_id)?.map(({ at }) => at) ?? [0]
      const lastIn = Math.max(0, ...own.map((entry) => timesOf(entry)[0] ?? 0))
      const beyond = own
        .filter((entry) => (timesOf(entry).at(-1) ?? 0) > lastIn - slackMs)
        .reduce((sum, { micros, assumed }) => sum + Math.max(0, (micros ?? assumed ?? 0) - reserve), 0)
      const most = raised.usd * 1e6 + beyond
      return spent <= most
        ? []
        : [{ kind: "over the limit", detail: `${raised.name} ${subject}: ${spent}, at most ${most}` }]
    })
}

const rest: Check = ({ integrity, hosts }) => [
  ...(integrity === "ok" ? [] : [{ kind: "damaged", detail: integrity } as const]),
  ...hosts.flatMap(
    (line): ReadonlyArray<Finding> => (line.is === "broke" ? [{ kind: "broken", detail: line.problem }] : [])
  )
]

export const findingsOf = (logs: Logs): ReadonlyArray<Finding> =>
  [entriesOfRuns, sums, reservations, keptLimit, raisedLimit, rest].flatMap((check) => check(logs))

const countsOf = (names: ReadonlyArray<string>) =>
  Object.fromEntries([...groups(names, (name) => name)].map(([name, all]) => [name, all.length] as const).sort())

export const figuresOf = (logs: Logs) => {
  const { kills, hosts, entries, cli, left, windows, samples } = logs
  const spent = [...spentByRun(logs).values()].reduce((sum, lines) => sum + (lines.at(-1)?.spent ?? 0), 0)
  const full = windows.filter(
    ({ budget, spent: used }) =>
      (budget === "kept" && used > 600_000 - mostOfRun) || (budget === "raised" && used >= raised.usd * 1e6)
  )
  return {
    kills: kills.length,
    spawned: cli.filter(({ is }) => is === "begin").length,
    outcomes: countsOf(hosts.flatMap((line) => (line.is === "ended" ? [line.outcome] : []))),
    entries: entries.length,
    sources: countsOf(entries.map(({ source }) => source)),
    spentUsd: spent / 1e6,
    countedUsd: entries.reduce((sum, { micros }) => sum + (micros ?? 0), 0) / 1e6,
    windows: windows.length,
    fullWindows: full.length,
    leftReservations: left.reservations.length,
    samples
  }
}
