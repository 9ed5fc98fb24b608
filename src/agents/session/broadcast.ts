/**
 * Broadcasts the events of a session: to each subscriber at its own pace, from its subscription on. The first one also gets
 * earlier events; these are kept up to a limit, so that a session without subscribers does not grow.
 */
import { Effect, Exit, Stream } from "effect"
import type { AgentEvent, NoticeEvent } from "../../contract/AgentEvent.ts"
import { unwrapPollable } from "../../system/process/pollable.ts"
import { type Backlog, makeBacklog } from "../engine/backlog.ts"
import { type EarlyEvents, makeEarlyEvents } from "./earlyEvents.ts"

export interface Broadcast {
  readonly offer: (event: AgentEvent, bytes: number) => void
  /** Nothing follows. Later subscribers get the last event. */
  readonly end: () => void
  readonly events: Stream.Stream<AgentEvent>
}

const earlyLimitBytes = 16 * 1024 * 1024

const missedNotice = (count: number): NoticeEvent => ({
  type: "notice",
  kind: "warning",
  message: `${count} events before the first consumer were dropped`,
  data: { events: count }
})

export const makeBroadcast = (limitBytes = earlyLimitBytes): Broadcast => {
  const listeners = new Set<Backlog>()
  /** For the first subscriber. */
  let early: EarlyEvents | undefined = makeEarlyEvents(limitBytes)
  let last: AgentEvent | undefined
  let isOver = false

  const join = () => {
    const backlog = makeBacklog()
    const first = early
    early = undefined
    first?.take(backlog.offer)
    if (isOver) backlog.end(Exit.void)
    const missed = first?.missed() ?? 0
    if (first !== undefined) return { backlog, before: missed > 0 ? [missedNotice(missed)] : [] }
    // Between `done` and the end the process exits.
    return { backlog, before: last !== undefined && (isOver || last.type === "done") ? [last] : [] }
  }

  const listen = Effect.acquireRelease(
    Effect.sync(() => {
      const joined = join()
      if (!isOver) listeners.add(joined.backlog)
      return joined
    }),
    ({ backlog }) =>
      Effect.sync(() => {
        listeners.delete(backlog)
        backlog.close()
      })
  )

  return {
    offer: (event, bytes) => {
      if (last?.type === "done") return
      last = event
      early?.offer(event, bytes)
      for (const listener of listeners) listener.offer(event, bytes)
    },
    end: () => {
      isOver = true
      for (const listener of listeners) listener.end(Exit.void)
      listeners.clear()
    },
    events: unwrapPollable(
      Effect.map(listen, ({ backlog, before }) =>
        before.length === 0 ? backlog.events : Stream.concat(Stream.fromIterable(before), backlog.events)
      )
    )
  }
}
