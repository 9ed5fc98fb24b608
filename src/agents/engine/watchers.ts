/**
 * Calls the observers of one run, session or turn, once for all wanted events or lines of one go. In the same fiber: a
 * `PubSub` with a fiber for each of two observers costs 4 µs an event, this 0.8 (goes of 50 events).
 */
import { type Clock, Effect, Predicate } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Observation, Observer } from "../../contract/Observer.ts"
import type { End, Start } from "../../contract/Start.ts"
import { copyOf, type Fork } from "./admission.ts"

export interface Watchers {
  readonly event: (event: AgentEvent) => void
  /** Counts an event that no observer takes; returns true for such an event. */
  readonly skip: (event: AgentEvent) => boolean
  /** A line with secrets redacted. */
  readonly line: (line: string) => void
  readonly wantLines: () => boolean
  readonly add: (observer: Observer) => void
  readonly flush: () => void
  /** Ends the events. Undefined if a defect of this library left no end. */
  readonly end: (end: End | undefined) => void
}

/** An observation of this library that changes nothing gets events as they are: to copy what a tool prints costs most. */
export const withoutCopies: unique symbol = Symbol("reins/withoutCopies")

const refuseAsync = () => {
  throw new TypeError("begin is asynchronous")
}

/** `positions`: of each item among all. */
type Give<Item> = (items: ReadonlyArray<Item>, positions: ReadonlyArray<number>, atMs: number) => void

/** One go ends when the running code returns to the event loop. */
const makeBatch = <Item>(clock: Clock.Clock, give: Give<Item>) => {
  let items: Array<Item> = []
  let positions: Array<number> = []
  let next = 0
  let atMs = 0
  const flush = () => {
    if (items.length === 0) return
    const [batch, places] = [items, positions]
    items = []
    positions = []
    give(batch, places, atMs)
  }
  const push = (item: Item) => {
    if (items.length === 0) {
      atMs = clock.currentTimeMillisUnsafe()
      queueMicrotask(flush)
    }
    items.push(item)
    positions.push(next)
    next += 1
  }
  const skip = () => {
    next += 1
  }
  return { push, skip, flush }
}

type Type = AgentEvent["type"]

/** The event types that one observer, or all together, take; undefined for every type. */
const typesOf = (observations: ReadonlyArray<Observation>): ReadonlySet<Type> | undefined => {
  const requested = new Set<Type>()
  for (const { events, types } of observations) {
    if (events === undefined) continue
    if (types === undefined) return undefined
    for (const type of types) requested.add(type)
  }
  return requested
}

export interface WatchersOptions {
  readonly observers: ReadonlyArray<Observer>
  readonly start: Start
  readonly clock: Clock.Clock
  readonly background: Fork
  /** Removes the secrets that are known by then. */
  readonly redact: (text: string) => string
}

export const makeWatchers = ({ observers, start, clock, background, redact }: WatchersOptions): Watchers => {
  const listening = new Map<Observer, Observation>()
  let requested: ReadonlySet<Type> | undefined = new Set()
  let areLinesWanted = false

  const change = (observer: Observer, observation: Observation | undefined) => {
    if (observation === undefined) listening.delete(observer)
    else listening.set(observer, observation)
    const all = [...listening.values()]
    requested = typesOf(all)
    areLinesWanted = all.some(({ lines }) => lines !== undefined)
  }

  const drop = (observer: Observer) => (error: unknown) => {
    if (!listening.has(observer)) return
    change(observer, undefined)
    const message = `the observer "${observer.name}" failed and is dropped for this ${start.type}`
    background(Effect.logWarning(message, error))
  }

  /** An async function fails by its promise, which has no other handler. */
  const call = (observer: Observer, run: () => unknown) => {
    try {
      const result = run()
      if (Predicate.isPromiseLike(result)) result.then(undefined, drop(observer))
    } catch (error) {
      drop(observer)(error)
    }
  }

  const add = (observer: Observer) => {
    change(observer, {})
    call(observer, () => {
      const observation = observer.begin(copyOf(start), redact)
      if (Predicate.isPromiseLike(observation)) return Promise.resolve(observation).then(refuseAsync)
      return change(observer, observation ?? undefined)
    })
  }

  const each = (run: (observation: Observation) => unknown) => {
    for (const [observer, observation] of [...listening]) call(observer, () => run(observation))
  }

  const events = makeBatch<AgentEvent>(clock, (events, positions, atMs) =>
    each((observation) => {
      const types = typesOf([observation])
      const first = types === undefined ? 0 : events.findIndex(({ type }) => types.has(type))
      const position = positions[first]
      if (position === undefined) return undefined
      const own = types === undefined ? events : events.filter(({ type }) => types.has(type))
      return observation.events?.({ position, atMs, events: withoutCopies in observation ? own : copyOf(own) })
    })
  )
  const lines = makeBatch<string>(clock, (lines, [position = 0], atMs) =>
    each((observation) => observation.lines?.({ position, atMs, lines: [...lines] }))
  )
  const skip = (event: AgentEvent) => {
    if (requested === undefined || requested.has(event.type)) return false
    events.skip()
    return true
  }
  const flush = () => {
    events.flush()
    lines.flush()
  }

  for (const observer of observers) add(observer)
  return {
    event: (event) => {
      if (!skip(event)) events.push(event)
    },
    skip,
    line: (line) => {
      if (areLinesWanted) lines.push(line)
    },
    wantLines: () => areLinesWanted,
    add,
    flush,
    end: (end) => {
      flush()
      if (end !== undefined) each((observation) => observation.end?.(copyOf(end)))
      for (const observer of [...listening.keys()]) change(observer, undefined)
    }
  }
}
