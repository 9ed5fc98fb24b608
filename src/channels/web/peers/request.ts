/** What one page asks of another, and its answer, as JSON in the store: data of a stranger on both sides; pure. */
import { Schema } from "effect"
import { isId, isPersonId } from "../ids.ts"
import { Problem } from "../problem.ts"
import { ChangeWish, MessageWish, PressWish } from "../wishes.ts"

const Id = Schema.String.check(Schema.makeFilter((text: string) => isId(text)))
const Short = Schema.String.check(Schema.isMaxLength(4_000))
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))

const Person = Schema.Struct({
  id: Schema.String.check(Schema.makeFilter((text: string) => isPersonId(text))),
  name: Schema.optionalKey(Short),
  roles: Schema.optionalKey(Schema.Array(Short).check(Schema.isMaxLength(100)))
})

/** A file whose bytes lie in the store for a moment. */
export const SentFile = Schema.Struct({
  name: Short,
  mimeType: Schema.optionalKey(Short),
  /** So many pieces. */
  pieces: Count
})
export type SentFile = typeof SentFile.Type

export const PeerRequest = Schema.Struct({
  person: Person,
  act: Schema.Union([
    Schema.Struct({
      do: Schema.Literal("say"),
      wish: MessageWish,
      files: Schema.Array(SentFile).check(Schema.isMaxLength(20))
    }),
    Schema.Struct({ do: Schema.Literal("press"), wish: PressWish }),
    Schema.Struct({ do: Schema.Literal("change"), conversation: Id, wish: ChangeWish }),
    Schema.Struct({ do: Schema.Literal("file"), file: Id })
  ])
})
export type PeerRequest = typeof PeerRequest.Type

export const PeerAnswer = Schema.Union([
  Schema.Struct({
    problem: Schema.Struct({
      status: Schema.Int.check(Schema.isBetween({ minimum: 400, maximum: 599 })),
      error: Short,
      help: Schema.optionalKey(Short),
      retryAfterS: Schema.optionalKey(Count)
    })
  }),
  Schema.Struct({
    text: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(100_000))),
    isHeard: Schema.optionalKey(Schema.Boolean),
    /** Of a file. */
    pieces: Schema.optionalKey(Count)
  })
])
export type PeerAnswer = typeof PeerAnswer.Type

const [Request, Answer] = [Schema.fromJsonString(PeerRequest), Schema.fromJsonString(PeerAnswer)]
export const requestText = Schema.encodeSync(Request)
export const answerText = Schema.encodeSync(Answer)
/** None for what this version cannot read. */
export const readRequest = Schema.decodeUnknownOption(Request)
export const readAnswer = Schema.decodeUnknownOption(Answer)

export const problemAnswer = ({ status, error, help, retryAfterS }: Problem): PeerAnswer => ({
  problem: {
    ...{ status, error },
    ...(help === undefined ? {} : { help }),
    ...(retryAfterS === undefined ? {} : { retryAfterS })
  }
})

export const problemIn = (answer: PeerAnswer): Problem | undefined =>
  "problem" in answer ? new Problem(answer.problem) : undefined
