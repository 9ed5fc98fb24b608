/**
 * The params of a turn, as data that another machine can read from the store: JSON and the hashes of its attachments.
 * Other values are refused by name: functions, and secrets, which would be stored in the database.
 */
import { isAbsolute } from "node:path"
import { Duration, Option, Predicate, Result, Schema } from "effect"
import { outputForm } from "../agents/answers/outputForm.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import { textOf } from "../contract/Redacted.ts"

const mostDepth = 32
const mostCharacters = 1024 * 1024

export const StoredAttachment = Schema.Struct({
  hash: Schema.String,
  mediaType: Schema.String,
  name: Schema.optionalKey(Schema.String)
})
export type StoredAttachment = typeof StoredAttachment.Type

/** The column `params` of a turn. */
export const StoredParams = Schema.Struct({
  /** Params of the run or live session. */
  params: Schema.Record(Schema.String, Schema.Unknown),
  attachments: Schema.Array(StoredAttachment),
  fresh: Schema.Boolean,
  onMissing: Schema.Literals(["fail", "fresh"]),
  onInterrupted: Schema.Literals(["fail", "continue", "again"]),
  /** Whether a live session performs it, which asks and can be steered. */
  isLive: Schema.Boolean,
  /** Params of one turn of a live session. */
  turn: Schema.Record(Schema.String, Schema.Unknown),
  /** Whether a caller reads its events. */
  isFollowed: Schema.Boolean,
  /** Number of earlier attempts. */
  attempt: Schema.Int
})
export type StoredParams = typeof StoredParams.Type
const codec = Schema.fromJsonString(StoredParams)
export const storedParamsText = Schema.encodeSync(codec)
const decode = Schema.decodeUnknownOption(codec)

/** Returns undefined for params of another version. */
export const storedParamsOf = (text: string | undefined): StoredParams | undefined =>
  text === undefined ? undefined : Option.getOrUndefined(decode(text))

const invalid = (option: string, problem: string) => Result.fail(new InvalidParams({ option, problem }))

type Made = Result.Result<unknown, InvalidParams>

const elsewhere = "cannot be sent to another machine"

const isPlain = (value: object) => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const entriesOf = (value: object, path: string, depth: number): Made => {
  const made: Array<readonly [string, unknown]> = []
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue
    const part = portable(item, path === "" ? name : `${path}.${name}`, depth + 1)
    if (Result.isFailure(part)) return part
    made.push([name, part.success])
  }
  return Result.succeed(Object.fromEntries(made))
}

const portable = (value: unknown, path: string, depth: number): Made => {
  if (value === null || Predicate.isString(value) || Predicate.isBoolean(value)) return Result.succeed(value)
  if (Predicate.isNumber(value)) return Number.isFinite(value) ? Result.succeed(value) : Result.succeed(String(value))
  if (Predicate.isFunction(value)) return invalid(path, `is a function, which ${elsewhere}: leave it out`)
  if (textOf(value) !== undefined)
    return invalid(path, `is a secret, which would lie in the database: set it where the agent runs, in its home`)
  if (Duration.isDuration(value)) return Result.succeed(Duration.toMillis(value))
  if (!Predicate.isObjectOrArray(value) || depth > mostDepth) return invalid(path, elsewhere)
  if (Array.isArray(value))
    return Result.all(Array.from(value, (item: unknown, at) => portable(item, `${path}.${at}`, depth + 1)))
  return isPlain(value) ? entriesOf(value, path, depth) : invalid(path, elsewhere)
}

/** A relative path means nothing in the home. */
const pathProblem = (params: object): InvalidParams | undefined => {
  const directory = Predicate.hasProperty(params, "workingDirectory") ? params.workingDirectory : undefined
  if (!Predicate.isString(directory) || isAbsolute(directory)) return undefined
  return new InvalidParams({
    option: "workingDirectory",
    problem: `${JSON.stringify(directory.slice(0, 200))} is relative, and the agent may be on another machine: name an absolute path`
  })
}

/** A schema of a library becomes its JSON Schema. */
const withJsonSchema = (params: object): Result.Result<object, InvalidParams> => {
  if (!Predicate.hasProperty(params, "outputSchema") || params.outputSchema === undefined) return Result.succeed(params)
  return Result.map(outputForm(params.outputSchema), ({ jsonSchema }) => ({ ...params, outputSchema: jsonSchema }))
}

/** Parameters of a caller, of any type → JSON. The signal, the prompt and the attachments are passed separately. */
export const portableParams = (input: object): Result.Result<StoredParams["params"], InvalidParams> => {
  const all: { readonly [name: string]: unknown } = { ...input }
  const { abortSignal: _, prompt: __, attachments: ___, whenBusy: ____, ...rest } = all
  const problem = pathProblem(rest)
  if (problem !== undefined) return Result.fail(problem)
  const made = Result.flatMap(withJsonSchema(rest), (params) => entriesOf(params, "", 0))
  if (Result.isFailure(made)) return Result.fail(made.failure)
  const length = JSON.stringify(made.success).length
  if (length > mostCharacters)
    return invalid("params", `have ${length} characters without the prompt; at most ${mostCharacters} are possible`)
  return Result.succeed({ ...(made.success as object) }) // made of entries
}
