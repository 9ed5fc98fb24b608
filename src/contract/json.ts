/**
 * JSON that comes from an agent or a function of the host and goes to a CLI: bounded in depth and size, so that no value
 * can make its encoding fail half-way or a peer's parser overflow. Walks without recursion.
 */
import { Predicate, Result } from "effect"

/** Of nested lists and objects. What tools are called with rarely has ten. */
export const mostDepth = 200
/** Of the encoded text: more than any line that is taken from a CLI by default. */
const mostCharacters = 128 * 1024 * 1024
const mostValues = 4_000_000

const childrenOf = (value: object): ReadonlyArray<unknown> => (Array.isArray(value) ? value : Object.values(value))

const tooDeep = `is nested deeper than ${mostDepth}`
const tooLarge = "is too large"

/** Why a value is not looked at any further; also where it contains itself. */
const shapeProblem = (value: unknown): string | undefined => {
  let level: Array<unknown> = [value]
  let count = 0
  for (let depth = 0; level.length > 0; depth++) {
    const next: Array<unknown> = []
    for (const each of level) {
      if (!Predicate.isObjectOrArray(each)) continue
      if (depth >= mostDepth) return tooDeep
      for (const child of childrenOf(each)) next.push(child)
      count += 1
      if (next.length + count > mostValues) return tooLarge
    }
    level = next
  }
  return undefined
}

/** One line of JSON, or what is wrong with the value, to follow its name: `is nested deeper than 200`. */
export const encodeJson = (value: unknown): Result.Result<string, string> => {
  try {
    const problem = shapeProblem(value)
    if (problem !== undefined) return Result.fail(problem)
    const text: string | undefined = JSON.stringify(value)
    if (text === undefined) return Result.fail("is no JSON")
    return text.length > mostCharacters ? Result.fail(tooLarge) : Result.succeed(text)
  } catch {
    return Result.fail("is no JSON") // a BigInt, a `toJSON` or a getter that throws
  }
}

export const jsonProblem = (value: unknown): string | undefined =>
  Result.match(encodeJson(value), { onFailure: (problem) => problem, onSuccess: () => undefined })

export const isJson = (value: unknown): boolean => jsonProblem(value) === undefined
