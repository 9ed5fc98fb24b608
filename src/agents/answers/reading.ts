/**
 * A JSON value of an agent → the output that a schema makes of it, or the problems that it names. Bounded in time, number
 * and length: patterns and unions may take exponential time.
 */

import { Script } from "node:vm"
import { Effect, Predicate, Result, type Schema, type SchemaAST } from "effect"
import type { OutputProblem } from "../../contract/AgentError.ts"
import { ownCopy } from "../../contract/copiesOfEffect.ts"
import type { StandardSchema } from "../../contract/OutputSchema.ts"
import { withoutInvisible } from "../../contract/text/harmless.ts"

// A synchronous function → its value, or an error that `isTimeout` knows if it takes longer than a second: while it
// runs, no timer and no signal of the host can end it. A runtime that cannot run scripts runs it without a limit.

const milliseconds = 1_000

const isTimeout = (error: unknown) =>
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
const timeLimited = <A>(run: () => A): A => Effect.runSync(Effect.sync(() => inScript(run)))

/** All problems of a value; at least one. */
export type Read = (value: unknown) => Result.Result<unknown, ReadonlyArray<OutputProblem>>

const mostProblems = 16
const longestMessage = 300
const longestPath = 200

export const clip = (text: string, length = longestMessage) =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`

/** On one line: keys of the answer are in paths, and in messages of libraries. */
const visible = (text: string, length = longestMessage) => withoutInvisible(clip(text, length).replace(/\s/g, " "))

type Issue = Extract<Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>, { readonly issues: unknown }>
type Issues = NonNullable<Issue["issues"]>

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }) =>
  String(typeof segment === "object" ? segment.key : segment)
    .replaceAll("~", "~0")
    .replaceAll("/", "~1")

/** With paths as JSON pointers: `/a/0`. */
const problemsOf = (issues: Issues): ReadonlyArray<OutputProblem> =>
  issues.slice(0, mostProblems).map(({ path = [], message }) => ({
    path: visible(path.map((segment) => `/${keyOf(segment)}`).join(""), longestPath),
    message: message === "Missing key" ? "is missing" : visible(String(message))
  }))

const problem = (message: string) => Result.fail([{ path: "", message }])

/** Turns errors of the caller's schema, and values too deep or too long to check, into a problem of the value. */
const guarded = (read: Read): Read => {
  return (value) => {
    try {
      return timeLimited(() => read(value))
    } catch (error) {
      if (isTimeout(error)) return problem("it takes too long to check")
      return error instanceof RangeError
        ? problem("it is nested too deeply")
        : problem(visible(`the schema failed: ${String(error)}`))
    }
  }
}

/** By decoding with a Schema of Effect, by the copy that made it. */
export const checkOf = (
  schema: Schema.ConstraintDecoder<unknown>,
  options: SchemaAST.ParseOptions = {},
  { decodeUnknownResult, formatIssues } = ownCopy
): Read => {
  const decode = decodeUnknownResult(schema, { errors: "all", ...options })
  const issuesOf = formatIssues()
  return guarded((value) => Result.mapError(decode(value), ({ issue }) => problemsOf(issuesOf(issue).issues)))
}

export const standardCheckOf = ({ "~standard": standard }: StandardSchema): Read =>
  guarded((value) => {
    const result = standard.validate(value)
    if (result instanceof Promise) {
      result.catch(() => {})
      return problem("the schema checks asynchronously, which is not supported")
    }
    if (result.issues === undefined) return Result.succeed(result.value)
    const problems = problemsOf(result.issues)
    return problems.length === 0 ? problem("is wrong") : Result.fail(problems)
  })
