/** Problems in the traces of a campaign; pure. */
import type { Held } from "./figures.ts"
import type { Visit } from "./person.ts"
import { isFatal, messagesOf } from "./plan.ts"
import type { Counts } from "./rows.ts"

export interface Logs {
  readonly visits: ReadonlyArray<Visit>
  /** The message, each time that an agent began with it. */
  readonly begun: ReadonlyArray<string>
  /** Ids of messages that the store has at their end. */
  readonly done: ReadonlySet<string>
  /** Rows that are not at their end, as `TABLE STATE`. */
  readonly open: ReadonlyArray<string>
  /** Agents that live. */
  readonly alive: ReadonlyArray<number>
  readonly kills: number
  readonly problems: ReadonlyArray<string>
  readonly integrity: string
  /** Rows of each table, when all conversations had become old. */
  readonly old: Counts
  /** Lines in the logs of hosts about a full disk. */
  readonly warnings: number
  /** How often each was. */
  readonly seasons: Readonly<Record<"full" | "jump" | "signal", number>>
  /** A host at rest after each third. */
  readonly held: readonly [first: Held, before: Held, after: Held] | undefined
}

export interface Finding {
  readonly kind: string
  readonly detail: string
}

const mostGrowthMiB = 60
/** Living objects: bounded caches fill up. */
const mostAliveMiB = 6

const ofVisit = (visit: Visit, begun: ReadonlyArray<string>, done: ReadonlySet<string>): ReadonlyArray<Finding> => {
  const { case: own, taken, choices, isServed, refused, shown: visible, shows, denied, isDismissed, last } = visit
  const about = (kind: string, detail: string): Finding => ({ kind, detail: `${own.id} (${own.scene}): ${detail}` })
  // Without a session to resume, the agent is asked once more.
  const again = choices.filter((choice) => choice !== "forget").length
  const times = (message: string) => begun.filter((each) => each === message).length
  return [
    ...(isServed ? [] : [about("stuck", `after ${choices.length} interruptions: ${last.join(" | ")}`)]),
    ...(isDismissed ? [] : [about("unanswered", `/new: ${last.join(" | ")}`)]),
    ...(denied === 0 ? [] : [about("denied", `${denied} requests that were allowed`)]),
    ...refused.map((answer) => about("refused", answer)),
    ...taken.filter((id) => !done.has(id)).map((id) => about("lost", id)),
    ...messagesOf(own).flatMap((message) => {
      const [count, most] = [times(message), 1 + again]
      const copies = visible[message] ?? 0
      return [
        ...(count > most ? [about("run twice", `${message}: ${count} times, ${again} asked for`)] : []),
        // Rows from before the host died stay on the page.
        ...(copies > most + shows && !isFatal(own, message) ? [about("repeated", `${message}: ${copies} times`)] : [])
      ]
    })
  ]
}

/** For each table: so many rows at most, when all conversations are old. The starting host may still send something. */
const leftOfOld: Counts = {
  ...{ inbox: 0, outbox: 0, gateway_sends: 0, bridge_requests: 0, bridge_schedules: 0, bridge_chats: 0 },
  ...{ web_conversations: 0, web_files: 0, web_rows: 5, runs: 0, reservations: 0, usage_open: 0 }
}

export const keptTooLong = (old: Counts): ReadonlyArray<Finding> =>
  Object.entries(leftOfOld).flatMap(([table, most]) =>
    (old[table] ?? 0) > most ? [{ kind: "kept", detail: `${old[table]} rows of ${table}` }] : []
  )

/** Rows come with conversations, and not by themselves. */
const mostRows = 1.5

const moreRows = ([first, before, after]: readonly [Held, Held, Held]): ReadonlyArray<Finding> => {
  const each = (from: Held, to: Held, table: string) =>
    ((to.rows[table] ?? 0) - (from.rows[table] ?? 0)) / Math.max(1, to.visits - from.visits)
  return Object.keys(after.rows).flatMap((table) => {
    const [middle, last] = [each(first, before, table), each(before, after, table)]
    if (last <= mostRows * Math.max(middle, 0) + 1) return []
    return [{ kind: "rows", detail: `${table}: ${middle.toFixed(1)} a conversation became ${last.toFixed(1)}` }]
  })
}

/** With fewer of them, none may have come in the way of anybody. */
const leastFull = 5

const untold = ({ seasons, warnings, visits }: Logs): ReadonlyArray<Finding> =>
  seasons.full < leastFull || (warnings > 0 && visits.some(({ excuses }) => excuses.length > 0))
    ? []
    : [{ kind: "silent", detail: `${seasons.full} full disks without any notice` }]

const grown = ([, before, after]: readonly [Held, Held, Held]): ReadonlyArray<Finding> => [
  ...(after.heapMiB - before.heapMiB > mostAliveMiB
    ? [{ kind: "heap", detail: `${before.heapMiB} MiB alive became ${after.heapMiB}` }]
    : []),
  ...(after.rssMiB - before.rssMiB > mostGrowthMiB
    ? [{ kind: "memory", detail: `${before.rssMiB} MiB became ${after.rssMiB}` }]
    : []),
  ...(after.descriptors > before.descriptors + 2
    ? [{ kind: "descriptors", detail: `${before.descriptors} became ${after.descriptors}` }]
    : []),
  ...(after.processes > 0 ? [{ kind: "processes", detail: `${after.processes} below a host at rest` }] : [])
]

const subjects: Readonly<Record<string, ReadonlyArray<string>>> = {
  memory: ["heap", "memory"],
  handles: ["descriptors"],
  processes: ["processes", "alive"],
  "rows at rest": ["rows", "kept", "left open"]
}

/** The last third beside the one before, for people. */
export const verdictsOf = (findings: ReadonlyArray<Finding>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(subjects).map(([name, kinds]) => {
      const isFlat = !findings.some(({ kind }) => kinds.includes(kind) || kind === "problem")
      return [name, isFlat ? "flat" : "NOT FLAT, or not known: see below"]
    })
  )

export const findingsOf = (logs: Logs): ReadonlyArray<Finding> => {
  const { visits, begun, done, open, alive, problems, integrity, held, old } = logs
  return [
    ...visits.flatMap((each) => ofVisit(each, begun, done)),
    ...open.map((detail) => ({ kind: "left open", detail })),
    ...alive.map((pid) => ({ kind: "alive", detail: `an agent, pid ${pid}` })),
    ...problems.map((detail) => ({ kind: "problem", detail })),
    ...(integrity === "ok" ? [] : [{ kind: "damaged", detail: integrity }]),
    ...(held === undefined
      ? [{ kind: "problem", detail: "no host was measured" }]
      : [...grown(held), ...moreRows(held)]),
    ...keptTooLong(old),
    ...untold(logs)
  ]
}
