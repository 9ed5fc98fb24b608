/** Does what other pages ask of this one: as if its people had done it here, by the same checks. */
import { Effect, Option, type Scope, Stream } from "effect"
import type { StoreError } from "../../../contract/StoreError.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import { monotonicMillis } from "../../../system/hostClock.ts"
import type { Files } from "../files.ts"
import { type Problem, problem, problems, uploadProblems } from "../problem.ts"
import { chatOf } from "../rows/conversationTable.ts"
import type { Acts, UserActions } from "../userActions.ts"
import type { WebPerson } from "../WebChatOptions.ts"
import { putPieces, readPieces, removeOldPieces, removePieces } from "./pieces.ts"
import {
  answerText,
  type Done,
  type PeerAnswer,
  type PeerRequest,
  problemAnswer,
  readRequest,
  type SentFile
} from "./request.ts"
import type { RequestTable, TakenRequest } from "./requestTable.ts"

type Failure = Problem | StoreError

/** Poll intervals: when idle, and for a while after a request. */
const restMs = 1_000
const busyMs = 100
const busyForMs = 30_000
const tidyMs = 60_000
/** Under way at once. */
const most = 16
const mostRemembered = 1_000

export interface AnswerPeersOptions {
  readonly store: OpenStore
  readonly account: string
  readonly requests: RequestTable
  readonly desk: Acts & Pick<UserActions, "isSaid" | "listed">
  readonly files: Pick<Files, "find" | "read" | "upload">
  /** Largest file. */
  readonly uploadBytes: number
}

const unreadable = problem(400, "The page that has this conversation cannot read what was asked of it.")

const make = ({ store, account, requests, desk: userActions, files, uploadBytes }: AnswerPeersOptions) => {
  /** Files of messages that were not sent yet, by their pieces: a repeated message does not store them again. */
  const received = new Map<string, string>()

  const receive = Effect.fnUntraced(function* (
    person: WebPerson,
    from: string,
    { name, mimeType, pieces }: SentFile
  ): Effect.fn.Return<string, Failure> {
    const known = received.get(from)
    if (known !== undefined && (yield* files.find(person.id, known)) !== undefined) return known
    const body = Stream.mapError(readPieces(store, from, pieces), () => new Error("broken off"))
    const upload = yield* files.upload(person.id, { name, mimeType }, Stream.toAsyncIterable(body))
    if (typeof upload === "string") return yield* uploadProblems[upload](uploadBytes)
    received.set(from, upload.fileId)
    const [oldest] = received.keys()
    if (received.size > mostRemembered && oldest !== undefined) received.delete(oldest)
    return upload.fileId
  })

  const perform = Effect.fnUntraced(function* (
    id: string,
    { person, act }: PeerRequest
  ): Effect.fn.Return<Done, Failure> {
    switch (act.do) {
      case "say": {
        const { wish, files: sent } = act
        // Its files came with it the first time.
        if (yield* userActions.isSaid(person, wish)) return {}
        // Nothing is stored for a person without access.
        if (sent.length > 0) yield* userActions.listed(person, wish.conversation)
        const fileIds = yield* Effect.forEach(sent, (file, index) => receive(person, `${id}/${index}`, file))
        yield* userActions.say(person, { ...wish, ...(fileIds.length === 0 ? {} : { files: fileIds }) })
        return {}
      }
      case "press": {
        const { text, isHeard } = yield* userActions.press(person, act.wish)
        return { ...(text === undefined ? {} : { text }), ...(isHeard === undefined ? {} : { isHeard }) }
      }
      case "change":
        yield* userActions.change(person, act.conversation, act.wish)
        return {}
      case "file": {
        const found = yield* files.find(person.id, act.file)
        const body = found && (yield* files.read(found.fileId))
        const pieces = body && (yield* putPieces(store, id, body))
        return pieces === undefined ? yield* problems.noFile : { pieces }
      }
    }
  })

  /** Checks that it belongs to its own account and person, whatever its id says. */
  const isSound = (id: string, { person, act }: PeerRequest) =>
    id.startsWith(`${account}/${chatOf(person.id, conversationOf(act))}/`)

  const done = ({ id, request }: TakenRequest): Effect.Effect<PeerAnswer> =>
    Effect.suspend(() => {
      const read = Option.filter(readRequest(request), (found) => isSound(id, found))
      return Option.isNone(read) ? Effect.fail<Failure>(unreadable) : perform(id, read.value)
    }).pipe(
      Effect.map((all) => ({ done: all })),
      Effect.catchTags({
        Problem: (refused) => Effect.succeed(problemAnswer(refused)),
        StoreError: ({ message }) =>
          Effect.as(
            Effect.logWarning(`what another page asked for was not done: ${message}`),
            problemAnswer(problems.store(undefined))
          )
      }),
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError("what another page asked for broke off", defect), problemAnswer(problems.failed))
      )
    )

  return Effect.fnUntraced(function* (taken: TakenRequest) {
    const answer = yield* done(taken)
    const isAwaited = yield* requests.answer(taken.id, answerText(answer))
    const pieces = "done" in answer ? answer.done.pieces : undefined
    if (!isAwaited && pieces !== undefined) yield* removePieces(store, taken.id, pieces)
  })
}

const conversationOf = (act: PeerRequest["act"]) =>
  act.do === "file" ? "file" : act.do === "change" ? act.conversation : act.wish.conversation

/** Until the scope closes. */
export const answerPeers = Effect.fnUntraced(function* (
  options: AnswerPeersOptions
): Effect.fn.Return<void, never, Scope.Scope> {
  const { account, requests } = options
  const answer = make(options)
  const scope = yield* Effect.scope
  const underWay = new Set<string>()
  /** Some requests may be taken without being worked on: this page has stopped meanwhile, or the store failed. */
  let mayBeLost = true
  let busyUntil = 0

  const begin = (taken: TakenRequest) => {
    underWay.add(taken.id)
    return answer(taken).pipe(
      Effect.ensuring(Effect.sync(() => underWay.delete(taken.id))),
      Effect.catch((error) => {
        mayBeLost = true
        return Effect.logWarning(`another page did not get its answer: ${error.message}`)
      }),
      Effect.forkIn(scope)
    )
  }

  const round = Effect.gen(function* () {
    if (mayBeLost) yield* requests.release(account, [...underWay])
    mayBeLost = false
    const taken = underWay.size < most ? yield* requests.take(account, most - underWay.size) : []
    for (const one of taken) yield* begin(one)
    const now = yield* monotonicMillis
    if (taken.length > 0) busyUntil = now + busyForMs
    return now < busyUntil ? busyMs : restMs
  }).pipe(
    Effect.catch((error) => {
      mayBeLost = true
      return Effect.as(Effect.logWarning(`what other pages ask cannot be read: ${error.message}`), restMs)
    }),
    Effect.catchDefect((defect) => Effect.as(Effect.logError("what other pages ask is not read", defect), tidyMs))
  )
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(round, Effect.sleep)))
  const tidy = Effect.ignore(Effect.andThen(requests.tidy, removeOldPieces(options.store)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(tidy, Effect.sleep(tidyMs))))
})
