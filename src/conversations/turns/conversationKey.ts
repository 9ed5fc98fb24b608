/** Key of a conversation: checked, and as stored text, a JSON array, so that no separator makes two keys equal. */
import { Predicate, Result } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"

export type KeyParts = readonly [string, ...ReadonlyArray<string>]
const maxParts = 16
const maxLength = 256
const invalid = (problem: string) => new InvalidParams({ option: "conversation", problem })

/** Never quotes texts of strangers. */
const partProblem = (part: unknown): string | undefined => {
  if (typeof part === "number") return "is a number: make a text of it, as in String(chatId)"
  if (!Predicate.isString(part)) return "is not a text"
  if (part === "") return "is empty"
  if (part.length > maxLength) return `has ${part.length} characters; at most ${maxLength} are possible`
  return /\p{Cc}/u.test(part) ? "has a control character" : undefined
}

/** A text is a key of one part. */
export const conversationKey = (input: unknown): Result.Result<KeyParts, InvalidParams> => {
  const parts: ReadonlyArray<unknown> = Array.isArray(input) ? input : [input]
  if (parts.length > maxParts)
    return Result.fail(invalid(`has ${parts.length} parts; at most ${maxParts} are possible`))
  const checked: Array<string> = []
  for (const [index, part] of parts.entries()) {
    const problem = partProblem(part)
    if (problem !== undefined) {
      return Result.fail(invalid(Array.isArray(input) ? `part ${index + 1} ${problem}` : problem))
    }
    checked.push(String(part))
  }
  const [first, ...others] = checked
  return first === undefined ? Result.fail(invalid("has no parts")) : Result.succeed([first, ...others])
}

export const keyText = (key: KeyParts): string => JSON.stringify(key)

/** The key of a stored text; undefined if it is not a key. */
export const keyOfText = (text: string): KeyParts | undefined =>
  Result.getOrUndefined(
    Result.flatMap(
      Result.try((): unknown => JSON.parse(text)),
      (parts) => (Array.isArray(parts) ? conversationKey(parts) : Result.fail(invalid("is not a list")))
    )
  )

/** For people: as much of it as fits into a message. */
export const subjectName = (key: KeyParts): string => {
  const name = key.join(" / ")
  return name.length <= 200 ? name : `${name.slice(0, 200)}…`
}
