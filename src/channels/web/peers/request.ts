/** Requests between pages and their answers, as JSON in the store: untrusted on both sides; pure. */
import { Option, Schema } from "effect"
import { isPersonId } from "../ids.ts"
import { Problem } from "../problem.ts"
import { ChangeBody, Id, MessageBody, PressBody } from "../requestBodies.ts"

/** In characters. It bounds the texts that have no bound of their own, such as the roles of a person. */
const longest = 4_000_000

const Short = Schema.String.check(Schema.isMaxLength(4_000))
/** Pieces of one file; more than the largest accepted file has. */
const Pieces = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

const Person = Schema.Struct({
  id: Schema.String.check(Schema.makeFilter((text: string) => isPersonId(text))),
  name: Schema.optionalKey(Schema.String),
  roles: Schema.optionalKey(Schema.Array(Schema.String))
})

/** A file whose bytes lie in the store for a moment. */
export const SentFile = Schema.Struct({
  name: Short,
  mimeType: Schema.optionalKey(Short),
  /** So many pieces. */
  pieces: Pieces
})
export type SentFile = typeof SentFile.Type

export const PeerRequest = Schema.Struct({
  person: Person,
  act: Schema.Union([
    Schema.Struct({
      do: Schema.Literal("say"),
      wish: MessageBody,
      files: Schema.Array(SentFile).check(Schema.isMaxLength(20))
    }),
    Schema.Struct({ do: Schema.Literal("press"), wish: PressBody }),
    Schema.Struct({ do: Schema.Literal("change"), conversation: Id, wish: ChangeBody }),
    Schema.Struct({ do: Schema.Literal("file"), file: Id })
  ])
})
export type PeerRequest = typeof PeerRequest.Type

const Done = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  isHeard: Schema.optionalKey(Schema.Boolean),
  /** Set for a file. */
  pieces: Schema.optionalKey(Pieces)
})
export type Done = typeof Done.Type

/** One that is of neither form says nothing of what was done. */
export const PeerAnswer = Schema.Union([
  Schema.Struct({
    problem: Schema.Struct({
      status: Schema.Int.check(Schema.isBetween({ minimum: 400, maximum: 599 })),
      error: Schema.String,
      help: Schema.optionalKey(Schema.String),
      retryAfterS: Schema.optionalKey(Schema.Natural)
    })
  }),
  Schema.Struct({ done: Done })
])
export type PeerAnswer = typeof PeerAnswer.Type

const [Request, Answer] = [Schema.fromJsonString(PeerRequest), Schema.fromJsonString(PeerAnswer)]
export const requestText = Schema.encodeSync(Request)
export const answerText = Schema.encodeSync(Answer)

const bounded = (text: string | undefined) =>
  Option.filter(Option.fromUndefinedOr(text), (all) => all.length <= longest)
const [decodeRequest, decodeAnswer] = [Schema.decodeUnknownOption(Request), Schema.decodeUnknownOption(Answer)]
/** None for what this version cannot read. */
export const readRequest = (text: string | undefined) => Option.flatMap(bounded(text), (all) => decodeRequest(all))
export const readAnswer = (text: string | undefined) => Option.flatMap(bounded(text), (all) => decodeAnswer(all))

export const problemAnswer = ({ status, error, help, retryAfterS }: Problem): PeerAnswer => ({
  problem: {
    ...{ status, error },
    ...(help === undefined ? {} : { help }),
    ...(retryAfterS === undefined ? {} : { retryAfterS })
  }
})

export const problemIn = (answer: PeerAnswer): Problem | undefined =>
  "problem" in answer ? new Problem(answer.problem) : undefined
