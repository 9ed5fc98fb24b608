/** What is wrong with what a campaign leaves; pure. */
import type { Held } from "./figures.ts"
import type { Visit } from "./person.ts"
import { isFatal, messagesOf } from "./plan.ts"

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
  /** A host at rest after its first load, and after the second. */
  readonly held: readonly [before: Held, after: Held] | undefined
}

export interface Finding {
  readonly kind: string
  readonly detail: string
}

const mostGrowthMiB = 60

const ofVisit = (visit: Visit, begun: ReadonlyArray<string>, done: ReadonlySet<string>): ReadonlyArray<Finding> => {
  const { case: own, taken, choices, isServed, refused, shown, last } = visit
  const about = (kind: string, detail: string): Finding => ({ kind, detail: `${own.id} (${own.scene}): ${detail}` })
  // Where there is no session to go on with, the agent is asked once more.
  const again = choices.filter((choice) => choice !== "forget").length
  const times = (message: string) => begun.filter((each) => each === message).length
  return [
    ...(isServed ? [] : [about("stuck", `after ${choices.length} interruptions: ${last.join(" | ")}`)]),
    ...refused.map((answer) => about("refused", answer)),
    ...taken.filter((id) => !done.has(id)).map((id) => about("lost", id)),
    ...messagesOf(own).flatMap((message) => {
      const [count, most] = [times(message), 1 + again]
      const copies = shown[message] ?? 0
      return [
        ...(count > most ? [about("run twice", `${message}: ${count} times, ${again} asked for`)] : []),
        // What was written before the host died stays on the page.
        ...(copies > most && !isFatal(own, message) ? [about("repeated", `${message}: ${copies} times`)] : [])
      ]
    })
  ]
}

const grown = ([before, after]: readonly [Held, Held]): ReadonlyArray<Finding> => [
  ...(after.rssMiB - before.rssMiB > mostGrowthMiB
    ? [{ kind: "memory", detail: `${before.rssMiB} MiB became ${after.rssMiB}` }]
    : []),
  ...(after.descriptors > before.descriptors + 2
    ? [{ kind: "descriptors", detail: `${before.descriptors} became ${after.descriptors}` }]
    : []),
  ...(after.processes > 0 ? [{ kind: "processes", detail: `${after.processes} below a host at rest` }] : [])
]

export const findingsOf = (logs: Logs): ReadonlyArray<Finding> => {
  const { visits, begun, done, open, alive, problems, integrity, held } = logs
  return [
    ...visits.flatMap((each) => ofVisit(each, begun, done)),
    ...open.map((detail) => ({ kind: "left open", detail })),
    ...alive.map((pid) => ({ kind: "alive", detail: `an agent, pid ${pid}` })),
    ...problems.map((detail) => ({ kind: "problem", detail })),
    ...(integrity === "ok" ? [] : [{ kind: "damaged", detail: integrity }]),
    ...(held === undefined ? [{ kind: "problem", detail: "no host was measured" }] : grown(held))
  ]
}
