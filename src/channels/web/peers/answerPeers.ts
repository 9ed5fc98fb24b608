/** Performs requests of other pages as if the person had acted here, with the same checks. */
import { Effect, Option, type Scope, Stream } from "effect"
import { present } from "../../../contract/present.ts"
import { untraced } from "../../../contract/untraced.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import { monotonicMillis } from "../../../system/hostClock.ts"
import type { Files } from "../files.ts"
import { type Failing, type Failure, problem, problems, uploadProblems } from "../problem.ts"
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
  type RequestTable,
  readRequest,
  type SentFile,
  type TakenRequest
} from "./request.ts"

/** Poll intervals: when idle, and for a while after a request. */
const restMs = 1_000
const busyMs = 100
const busyForMs = 30_000
const tidyMs = 60_000
/** Requests at work at once. */
const most = 16
const mostRemembered = 1_000

export interface AnswerPeersOptions {
  readonly store: OpenStore
  readonly account: string
  readonly requests: RequestTable
  readonly actions: Acts & Pick<UserActions["Service"], "isSaid" | "listed">
  readonly files: Pick<Files["Service"], "find" | "read" | "upload">
  /** Largest file. */
  readonly uploadBytes: number
}

const unreadable = problem(400, "The page that has this conversation cannot read what was asked of it.")

const make = ({ store, account, requests, actions, files, uploadBytes }: AnswerPeersOptions) => {
  /** Files of unsent messages by their pieces, so that a repeated message does not store them again. */
  const received = new Map<string, string>()

  const receive = Effect.fn(...untraced("AnswerPeers.receive"))(function* (
    person: WebPerson,
    from: string,
    file: SentFile
  ): Failing<string> {
    const { name, mimeType, pieces } = file
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

  const perform = Effect.fn(...untraced("AnswerPeers.perform"))(function* (
    id: string,
    { person, act }: PeerRequest
  ): Failing<Done> {
    switch (act.do) {
      case "say": {
        const { wish, files: sent } = act
        // A repeated message: its files were stored the first time.
        if (yield* actions.isSaid(person, wish)) return {}
        // Nothing is stored for a person without access.
        if (sent.length > 0) yield* actions.listed(person, wish.conversation)
        const fileIds = yield* Effect.forEach(sent, (file, index) => receive(person, `${id}/${index}`, file))
        yield* actions.say(person, { ...wish, ...(fileIds.length === 0 ? {} : { files: fileIds }) })
        return {}
      }
      case "press":
        return present(yield* actions.press(person, act.wish))
      case "change":
        yield* actions.change(person, act.conversation, act.wish)
        return {}
      case "changes":
        return { text: yield* actions.changes(person, act.conversation, act.wish) }
      case "file": {
        const found = yield* files.find(person.id, act.file)
        const body = found && (yield* files.read(found.fileId))
        const pieces = body && (yield* putPieces(store, id, body))
        return pieces === undefined ? yield* problems.noFile : { pieces }
      }
    }
  })

  /** True if its id belongs to this account and the person. */
  const isSound = (id: string, { person, act }: PeerRequest) =>
    id.startsWith(`${account}/${chatOf(person.id, conversationOf(act))}/`)

  const answerOf = ({ id, request }: TakenRequest): Effect.Effect<PeerAnswer> =>
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
            problemAnswer(problems.store())
          )
      }),
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError("what another page asked for broke off", defect), problemAnswer(problems.failed))
      )
    )

  return Effect.fnUntraced(function* (taken: TakenRequest) {
    const answer = yield* answerOf(taken)
    const isAwaited = yield* requests.answer(taken.id, answerText(answer))
    const pieces = "done" in answer ? answer.done.pieces : undefined
    if (!isAwaited && pieces !== undefined) yield* removePieces(store, taken.id, pieces)
  })
}

const conversationOf = (act: PeerRequest["act"]) =>
  act.do === "file" ? "file" : "conversation" in act ? act.conversation : act.wish.conversation

/** Polls until the scope closes. */
export const answerPeers = Effect.fn(...untraced("Channels.answerPeers"))(function* (
  options: AnswerPeersOptions
): Effect.fn.Return<void, never, Scope.Scope> {
  const { account, requests } = options
  const answer = make(options)
  const scope = yield* Effect.scope
  const running = new Set<string>()
  /** True if taken requests may have been lost: by an earlier stop of this page, or a failure of the store. */
  let mayBeLost = true
  let busyUntil = 0

  const begin = (taken: TakenRequest) => {
    running.add(taken.id)
    return answer(taken).pipe(
      Effect.ensuring(Effect.sync(() => running.delete(taken.id))),
      Effect.catch((error) => {
        mayBeLost = true
        return Effect.logWarning(`another page did not get its answer: ${error.message}`)
      }),
      Effect.forkIn(scope)
    )
  }

  const round = Effect.gen(function* () {
    if (mayBeLost) yield* requests.release(account, [...running])
    mayBeLost = false
    const taken = running.size < most ? yield* requests.take(account, most - running.size) : []
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
