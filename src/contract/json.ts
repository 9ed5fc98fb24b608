/** Encodes JSON of agents and host functions, bounded in depth and size for the parser of a peer, without recursion. */
import { Predicate, Result } from "effect"

/** Maximum depth of lists and objects. Inputs of tools rarely have more than ten. */
export const maxDepth = 200
/** Maximum length of the encoded text: more than any line that is read from a CLI by default. */
const maxCharacters = 128 * 1024 * 1024
const maxValues = 4_000_000

const childrenOf = (value: object): ReadonlyArray<unknown> => (Array.isArray(value) ? value : Object.values(value))

const tooDeep = `is nested deeper than ${maxDepth}`
const tooLarge = "is too large"

/** The reason to refuse a value before it is encoded; a circular value is too deep. */
const shapeProblem = (value: unknown): string | undefined => {
  let level: Array<unknown> = [value]
  let count = 0
  for (let depth = 0; level.length > 0; depth++) {
    const next: Array<unknown> = []
    for (const each of level) {
      if (!Predicate.isObjectOrArray(each)) continue
      if (depth >= maxDepth) return tooDeep
      for (const child of childrenOf(each)) next.push(child)
      count += 1
      if (next.length + count > maxValues) return tooLarge
    }
    level = next
  }
  return undefined
}

/** One line of JSON, or the problem of the value, to follow its name: `is nested deeper than 200`. */
export const encodeJson = (value: unknown): Result.Result<string, string> => {
  try {
    const problem = shapeProblem(value)
    if (problem !== undefined) return Result.fail(problem)
    const text: string | undefined = JSON.stringify(value)
    if (text === undefined) return Result.fail("is not JSON")
    return text.length > maxCharacters ? Result.fail(tooLarge) : Result.succeed(text)
  } catch {
    return Result.fail("is not JSON") // a BigInt, a `toJSON` or a getter that throws
  }
}

export const jsonProblem = (value: unknown): string | undefined =>
  Result.match(encodeJson(value), { onFailure: (problem) => problem, onSuccess: () => undefined })

export const isJson = (value: unknown): boolean => jsonProblem(value) === undefined
