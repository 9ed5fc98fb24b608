/** Lets the stack of an error begin at the caller's call, not in the engine that failed much later. */
import { Effect } from "effect"
import { AgentError } from "../AgentError.ts"

type Callee = (...args: never) => unknown

/** The stack of a call. It is formatted only when it is read: a call that does not fail costs little. */
const callSite = (callee: Callee): { readonly stack?: string } => {
  const site = {}
  Error.captureStackTrace(site, callee)
  return site
}

/** Other errors are defects, whose own stack is the useful one. */
const placedAt = <E>(error: E, { stack = "" }: { readonly stack?: string }): E => {
  // Once its own stack was read, Node (24) shows no line of this library above an uncaught error.
  if (!(error instanceof AgentError) || error.stack === undefined) return error
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line))
  const value = [`${error.name}: ${error.message}`, ...frames].join("\n")
  return Object.defineProperty(error, "stack", { value, writable: true, configurable: true, enumerable: false })
}

/** The same method; the stack of its errors begins at the call. */
export const failingAtCall = <Args extends ReadonlyArray<unknown>, A, E, R>(
  method: (...args: Args) => Effect.Effect<A, E, R>
): ((...args: Args) => Effect.Effect<A, E, R>) => {
  const called = (...args: Args): Effect.Effect<A, E, R> => {
    const site = callSite(called)
    return Effect.mapError(method(...args), (error) => placedAt(error, site))
  }
  return called
}

/** The same method; the stack of its rejections begins at the call. */
export const rejectingAtCall = <Args extends ReadonlyArray<unknown>, A>(
  method: (...args: Args) => Promise<A>
): ((...args: Args) => Promise<A>) => {
  const called = (...args: Args): Promise<A> => {
    const site = callSite(called)
    return method(...args).catch((error: unknown) => Promise.reject(placedAt(error, site)))
  }
  return called
}

/** An error of the call itself, such as invalid options. */
export const typeErrorAt = (callee: Callee, message: string): TypeError => {
  const error = new TypeError(message)
  Error.captureStackTrace(error, callee)
  return error
}
