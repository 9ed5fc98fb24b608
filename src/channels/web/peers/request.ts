/**
 * Requests between pages and their answers, as JSON in the store: untrusted on both sides. A request is taken once, by the
 * page that it is for; the caller withdraws it until then. A repeated request waits for the same answer.
 */
import { Clock, Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { present } from "../../../contract/present.ts"
import { textIn, wordIn } from "../../../conversations/store/columns.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import { isPersonId } from "../ids.ts"
import { Problem } from "../problem.ts"
import { ChangeBody, ChangesWish, Id, MessageBody, PressBody } from "../requestBodies.ts"
import { statements } from "../rows/statements.ts"

/** In characters. Bounds texts without a bound of their own, such as the roles of a person. */
const longest = 4_000_000

const Short = Schema.String.check(Schema.isMaxLength(4_000))
/** Pieces of one file; more than the largest accepted file has. */
const Pieces = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

const Person = Schema.Struct({
  id: Schema.String.check(Schema.makeFilter((text: string) => isPersonId(text))),
  name: Schema.optionalKey(Schema.String),
  roles: Schema.optionalKey(Schema.Array(Schema.String))
})

/** A file whose bytes are in the store. */
const SentFile = Schema.Struct({ name: Short, mimeType: Schema.optionalKey(Short), pieces: Pieces })
export type SentFile = typeof SentFile.Type

const PeerRequest = Schema.Struct({
  person: Person,
  act: Schema.Union([
    Schema.Struct({
      do: Schema.Literal("say"),
      wish: MessageBody,
      files: Schema.Array(SentFile).check(Schema.isMaxLength(20))
    }),
    Schema.Struct({ do: Schema.Literal("press"), wish: PressBody }),
    Schema.Struct({ do: Schema.Literal("change"), conversation: Id, wish: ChangeBody }),
    Schema.Struct({ do: Schema.Literal("changes"), conversation: Id, wish: ChangesWish }),
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

const PeerAnswer = Schema.Union([
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

/** None for texts that this version cannot read. */
const reader = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (text: string | undefined): Option.Option<S["Type"]> =>
    text === undefined || text.length > longest ? Option.none() : decode(text)
}
export const readRequest = reader(Request)
export const readAnswer = reader(Answer)

export const problemAnswer = ({ status, error, help, retryAfterS }: Problem): PeerAnswer => ({
  problem: { status, error, ...present({ help, retryAfterS }) }
})

export const problemIn = (answer: PeerAnswer): Problem | undefined =>
  "problem" in answer ? new Problem(answer.problem) : undefined

/** Longer than any caller waits, plus a difference of clocks. */
const patienceMs = 5 * 60_000
const keptMs = 2 * patienceMs

const states = ["asked", "taken", "answered"] as const

export interface TakenRequest {
  readonly id: string
  readonly request: string
}

export const makeRequestTable = ({ sql, transact, read }: OpenStore) => {
  const { select, execute } = statements({ transact, read })
  /** True if a statement with `returning` met a row. */
  const affects = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
    transact(Effect.map(statement, (rows) => rows.length > 0))
  return {
    put: (account: string, id: string, request: string) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) =>
        execute(
          sql`insert into web_requests ${sql.insert({ account, id, request, state: "asked", at })}
            on conflict (id) do nothing`
        )
      ),

    /** Returns undefined if it does not exist. */
    look: (id: string) =>
      select(sql<object>`select state, answer from web_requests where id = ${id}`, ([row]) => {
        const state = row === undefined ? undefined : wordIn(row, "state", states)
        return row === undefined || state === undefined ? undefined : { state, answer: textIn(row, "answer") }
      }),

    /** Returns false if it was already taken. */
    takeBack: (id: string) => affects(sql`delete from web_requests where id = ${id} and state = 'asked' returning id`),

    remove: (id: string) => execute(sql`delete from web_requests where id = ${id}`),

    /** The oldest pending requests for a page. Abandoned ones are skipped. */
    take: (account: string, most: number) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const waiting = sql<object>`select id, request from web_requests where account = ${account} and state = 'asked'
          and at > ${now - patienceMs} order by at limit ${most}`
        // Polls without a transaction.
        if ((yield* read(waiting)).length === 0) return []
        return yield* transact(
          Effect.gen(function* () {
            const rows = yield* waiting
            const found = rows.flatMap((row): ReadonlyArray<TakenRequest> => {
              const [id, request] = [textIn(row, "id"), textIn(row, "request")]
              return id === undefined || request === undefined ? [] : [{ id, request }]
            })
            for (const { id } of found) yield* sql`update web_requests set state = 'taken' where id = ${id}`
            return found
          })
        )
      }),

    /** Stores the answer in place of the request. Returns false if the caller has gone. */
    answer: (id: string, answer: string) =>
      affects(sql`update web_requests set state = 'answered', answer = ${answer}, request = '' where id = ${id}
        returning id`),

    /** Releases requests that a page has taken and does not work on: a caller that still waits asks again. */
    release: (account: string, running: ReadonlyArray<string>) =>
      execute(
        sql`delete from web_requests where account = ${account} and state = 'taken'
          and ${running.length === 0 ? sql`1 = 1` : sql`not ${sql.in("id", running)}`}`
      ),

    /** Removes finished requests of all pages. */
    tidy: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      execute(sql`delete from web_requests where at < ${now - keptMs}`)
    )
  }
}

export type RequestTable = ReturnType<typeof makeRequestTable>
