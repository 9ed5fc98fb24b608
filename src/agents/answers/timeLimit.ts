/**
 * A synchronous function → its value, or an error that `isTimeout` knows if it takes longer than a second: while it runs, no
 * timer and no signal of the host can end it. A runtime that cannot run scripts runs it without a limit.
 */
import { Script } from "node:vm"
import { Effect, Predicate } from "effect"

const milliseconds = 1_000

export const isTimeout = (error: unknown) =>
  Predicate.hasProperty(error, "code") && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"

/** A time limit is that of a script, and of what it calls. */
const inScript = <A>(run: () => A): A => {
  let isStarted = false
  const compute = () => {
    isStarted = true
    return run()
  }
  try {
    return new Script("compute()").runInNewContext({ compute }, { timeout: milliseconds })
  } catch (error) {
    if (isStarted || isTimeout(error)) throw error
    return run()
  }
}

/**
 * In a fiber of its own, whose end sets the current fiber back: a function that is ended runs no `finally`, also not that of
 * a fiber it has started.
 */
export const timeLimited = <A>(run: () => A): A => Effect.runSync(Effect.sync(() => inScript(run)))
