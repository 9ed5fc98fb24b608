/** Requests of pages: untrusted JSON → checked values; pure. Unknown members are dropped. */
import { Option, Result, Schema, SchemaIssue } from "effect"
import { isId } from "./ids.ts"
import { type Problem, problems } from "./problem.ts"

const textUpTo = (length: number) => Schema.String.check(Schema.isMaxLength(length))

/** Id of a turn that a message began. */
const TurnId = Schema.String.check(Schema.isPattern(/^bridge-[\w-]{24}$/))
export const Id = Schema.String.check(Schema.makeFilter((text: string) => isId(text)))
const Choice = Schema.optionalKey(Schema.NullOr(textUpTo(200)))

const choices = { agent: Choice, model: Choice, mode: Choice, effort: Choice, directory: Choice }
export const choiceNames = ["agent", "model", "mode", "effort", "directory"] as const

export const MessageBody = Schema.Struct({
  id: Id,
  conversation: Id,
  text: textUpTo(100_000),
  files: Schema.optionalKey(Schema.Array(Id).check(Schema.isMaxLength(20))),
  how: Schema.optionalKey(Schema.Literals(["steer", "queue"])),
  ...choices
})
export type MessageBody = typeof MessageBody.Type

const Answers = Schema.Record(textUpTo(10_000), Schema.Array(textUpTo(4_000)).check(Schema.isMaxLength(100)))
const RequestId = Schema.String.check(Schema.isPattern(/^[\w-]{16}$/))

export const Press = Schema.Union([
  Schema.Struct({
    do: Schema.Literal("decide"),
    requestId: RequestId,
    decision: Schema.Literals(["allow", "deny", "outline"]),
    scope: Schema.optionalKey(textUpTo(200)),
    message: Schema.optionalKey(textUpTo(4_000))
  }),
  Schema.Struct({ do: Schema.Literal("answer"), requestId: RequestId, answers: Schema.optionalKey(Answers) }),
  Schema.Struct({ do: Schema.Literal("stop"), turn: Schema.optionalKey(TurnId) }),
  Schema.Struct({ do: Schema.Literal("drop"), message: Id }),
  Schema.Struct({ do: Schema.Literal("now"), message: Id }),
  Schema.Struct({
    do: Schema.Literal("interrupted"),
    turn: TurnId,
    choice: Schema.Literals(["continue", "again", "forget"])
  }),
  Schema.Struct({ do: Schema.Literal("show"), row: Schema.Int }),
  Schema.Struct({ do: Schema.Literal("button"), data: textUpTo(64), row: Schema.optionalKey(Schema.Int) })
])
export type Press = typeof Press.Type

export const PressBody = Schema.Struct({ id: Id, conversation: Id, press: Press })
export type PressBody = typeof PressBody.Type

export const ChangeBody = Schema.Struct({
  title: Schema.optionalKey(textUpTo(200)),
  archived: Schema.optionalKey(Schema.Boolean),
  ...choices
})
export type ChangeBody = typeof ChangeBody.Type

/** Id of a commit. */
const Commit = Schema.String.check(Schema.isPattern(/^[0-9a-f]{40,64}$/))

/** An action on the changes with this commit. */
export const ChangesBody = Schema.Struct({
  do: Schema.Literals(["apply", "commit", "discard"]),
  commit: Commit,
  message: Schema.optionalKey(textUpTo(4_000))
})

/** `path`: of a file of the changes. */
export const ChangesWish = Schema.Union([
  Schema.Struct({ do: Schema.Literal("read") }),
  Schema.Struct({ do: Schema.Literal("diff"), commit: Commit, path: textUpTo(10_000) }),
  ChangesBody
])
export type ChangesWish = typeof ChangesWish.Type

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The value, or the reason why it is invalid, which names the member and shows no input. */
export const parseBody = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (text: string): Result.Result<S["Type"], Problem> => {
    const json = Option.liftThrowable(JSON.parse)(text)
    if (Option.isNone(json)) return Result.fail(problems.wrong("The body is not JSON."))
    return Result.mapError(decode(json.value), ({ issue }) => {
      const [first] = issues(issue).issues
      const [place] = (first?.path ?? []).map(String).filter((name) => /^\w{1,40}$/.test(name))
      return problems.wrong(
        place === undefined ? "The body is not of the right form." : `"${place}" is missing or wrong.`
      )
    })
  }
}
