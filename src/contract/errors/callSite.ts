/** Where the caller called: the stack of an error begins there, and not in the engine that found it much later. */
import { Effect } from "effect"
import { AgentError } from "../AgentError.ts"

type Callee = (...given: never) => unknown

/** The stack of a call. It becomes text only once it is read: a call that does not fail costs little. */
const callSite = (callee: Callee): { readonly stack?: string } => {
  const site = {}
  Error.captureStackTrace(site, callee)
  return site
}

/** Other errors are defects: their own stack says where. */
const placedAt = <E>(error: E, { stack = "" }: { readonly stack?: string }): E => {
  // Once its own stack was read, Node (24) shows no line of this library above an uncaught error.
  if (!(error instanceof AgentError) || error.stack === undefined) return error
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line))
  const value = [`${error.name}: ${error.message}`, ...frames].join("\n")
  return Object.defineProperty(error, "stack", { value, writable: true, configurable: true, enumerable: false })
}

/** The same method; where it fails, the stack of the error begins at the call. */
export const failingAtCall = <Given extends ReadonlyArray<unknown>, A, E, R>(
  method: (...given: Given) => Effect.Effect<A, E, R>
): ((...given: Given) => Effect.Effect<A, E, R>) => {
  const called = (...given: Given): Effect.Effect<A, E, R> => {
    const site = callSite(called)
    return Effect.mapError(method(...given), (error) => placedAt(error, site))
  }
  return called
}

/** The same method; where it rejects, the stack of the error begins at the call. */
export const rejectingAtCall = <Given extends ReadonlyArray<unknown>, A>(
  method: (...given: Given) => Promise<A>
): ((...given: Given) => Promise<A>) => {
  const called = (...given: Given): Promise<A> => {
    const site = callSite(called)
    return method(...given).catch((error: unknown) => Promise.reject(placedAt(error, site)))
  }
  return called
}

/** An error of the call itself, such as invalid options. */
export const typeErrorAt = (callee: Callee, message: string): TypeError => {
  const error = new TypeError(message)
  Error.captureStackTrace(error, callee)
  return error
}
