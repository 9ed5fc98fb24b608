/**
 * An event that happens once: an end, an exit, a refusal. A run waits for the first of several, most of which never
 * happen. In a race each costs a fiber of 1.4 KB for as long as the run lives; here it costs a callback.
 */
import { Effect, Fiber } from "effect"

/** Calls back when it happens, at once if it has happened; gives a function that calls this off. */
export type Listen<A> = (callback: (value: Effect.Effect<A>) => void) => () => void

export interface Once<A> {
  /** It happens. Another time is ignored. */
  readonly happen: (value: Effect.Effect<A>) => void
  readonly hasHappened: () => boolean
  readonly listen: Listen<A>
  readonly wait: Effect.Effect<A>
}

export const makeOnce = <A>(): Once<A> => {
  let happened: Effect.Effect<A> | undefined
  const callbacks: Array<(value: Effect.Effect<A>) => void> = []

  const listen: Listen<A> = (callback) => {
    if (happened === undefined) callbacks.push(callback)
    else callback(happened)
    return () => {
      const index = callbacks.indexOf(callback)
      if (index !== -1) callbacks.splice(index, 1)
    }
  }

  return {
    happen: (value) => {
      if (happened !== undefined) return
      happened = value
      for (let next = callbacks.shift(); next !== undefined; next = callbacks.shift()) next(value)
    },
    hasHappened: () => happened !== undefined,
    listen,
    wait: waitFor(listen)
  }
}

/** As another value. */
export const mapped =
  <A, B>(listen: Listen<A>, change: (value: A) => B): Listen<B> =>
  (callback) =>
    listen((value) => callback(Effect.map(value, change)))

/** The first of them, in the order given where several have happened. */
export const either =
  <A>(...all: ReadonlyArray<Listen<A>>): Listen<A> =>
  (callback) => {
    const offs: Array<() => void> = []
    let isOver = false
    const leave = () => {
      isOver = true
      for (const off of offs.splice(0)) off()
    }
    for (const listen of all) {
      offs.push(
        listen((value) => {
          if (isOver) return
          leave()
          callback(value)
        })
      )
      if (isOver) break
    }
    if (isOver) leave()
    return leave
  }

export const waitFor = <A>(listen: Listen<A>): Effect.Effect<A> =>
  Effect.callback((resume) => Effect.sync(listen(resume)))

/** Returns when it happens, or when the sleep is over: a fiber for the sleep, where a race has two. */
export const waitDuring = (sleep: Effect.Effect<void>, listen: Listen<unknown>): Effect.Effect<void> =>
  Effect.flatMap(Effect.forkChild(sleep, { startImmediately: true }), (sleeper) =>
    Effect.ensuring(
      waitFor(either<unknown>(listen, (callback) => sleeper.addObserver(callback))),
      Fiber.interrupt(sleeper)
    )
  )
