/**
 * Tells the observers of one run, session or turn, in one call for all that came in one go. Nothing is gathered for what
 * nobody wants to hear.
 */
import { type Clock, Effect, Predicate } from "effect"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { End, Start } from "../contract/Start.ts"
import type { Fork } from "./admission.ts"
import type { Observation, Observer } from "./Observer.ts"

export interface Watchers {
  readonly event: (event: AgentEvent) => void
  /** Without secrets. */
  readonly line: (line: string) => void
  readonly wantLines: () => boolean
  /** One that begins later than the others. */
  readonly add: (observer: Observer) => void
  /** What has come so far is told now. */
  readonly flush: () => void
  /** Nothing follows. Undefined: it has no end, for a defect of ours. */
  readonly end: (end: End | undefined) => void
}

export const nobody: Watchers = {
  event: () => {},
  line: () => {},
  wantLines: () => false,
  add: () => {},
  flush: () => {},
  end: () => {}
}

type Give<Item> = (items: ReadonlyArray<Item>, position: number, atMs: number) => void

/** In one go is what comes until the code that runs now has given control back. */
const makeBatch = <Item>(clock: Clock.Clock, give: Give<Item>) => {
  let items: Array<Item> = []
  let position = 0
  let atMs = 0
  const flush = () => {
    if (items.length === 0) return
    const batch = items
    items = []
    position += batch.length
    give(batch, position - batch.length, atMs)
  }
  const push = (item: Item) => {
    if (items.length === 0) {
      atMs = clock.currentTimeMillisUnsafe()
      queueMicrotask(flush)
    }
    items.push(item)
  }
  return { push, flush }
}

export interface WatchersOptions {
  readonly observers: ReadonlyArray<Observer>
  readonly start: Start
  readonly clock: Clock.Clock
  readonly background: Fork
}

export const makeWatchers = ({ observers, start, clock, background }: WatchersOptions): Watchers => {
  const listening = new Map<Observer, Observation>()
  let hearEvents = false
  let hearLines = false

  const change = (observer: Observer, observation: Observation | undefined) => {
    if (observation === undefined) listening.delete(observer)
    else listening.set(observer, observation)
    const all = [...listening.values()]
    hearEvents = all.some(({ events }) => events !== undefined)
    hearLines = all.some(({ lines }) => lines !== undefined)
  }

  const drop = (observer: Observer) => (error: unknown) => {
    if (!listening.has(observer)) return
    change(observer, undefined)
    const message = `the observer "${observer.name}" failed, and hears no more of this ${start.type}`
    background(Effect.logWarning(message, error))
  }

  /** An async function fails by its promise, which nobody else looks at. */
  const call = (observer: Observer, run: () => unknown) => {
    try {
      const given = run()
      if (Predicate.isPromiseLike(given)) given.then(undefined, drop(observer))
    } catch (error) {
      drop(observer)(error)
    }
  }

  const add = (observer: Observer) => {
    change(observer, {})
    call(observer, () => change(observer, observer.begin(start)))
  }

  const each = (run: (observation: Observation) => unknown) => {
    for (const [observer, observation] of [...listening]) call(observer, () => run(observation))
  }

  const events = makeBatch<AgentEvent>(clock, (events, position, atMs) =>
    each((observation) => observation.events?.({ position, atMs, events }))
  )
  const lines = makeBatch<string>(clock, (lines, position, atMs) =>
    each((observation) => observation.lines?.({ position, atMs, lines }))
  )
  const flush = () => {
    events.flush()
    lines.flush()
  }

  for (const observer of observers) add(observer)
  return {
    event: (event) => {
      if (hearEvents) events.push(event)
    },
    line: (line) => {
      if (hearLines) lines.push(line)
    },
    wantLines: () => hearLines,
    add,
    flush,
    end: (end) => {
      flush()
      if (end !== undefined) each((observation) => observation.end?.(end))
      for (const observer of [...listening.keys()]) change(observer, undefined)
    }
  }
}
