/** Does what other pages ask of this one: as if its people had done it here, by the same checks. */
import { Effect, Option, type Scope, Semaphore, Stream } from "effect"
import { monotonicMillis } from "../../../clock/hostClock.ts"
import type { StoreError } from "../../../contract/StoreError.ts"
import type { OpenStore } from "../../../store/OpenStore.ts"
import type { Acts, Desk } from "../desk.ts"
import type { Files } from "../files.ts"
import { type Problem, problem, problems, uploadProblems } from "../problem.ts"
import { chatOf } from "../rows/conversationTable.ts"
import type { WebPerson } from "../WebPerson.ts"
import { putPieces, readPieces, removePieces } from "./pieces.ts"
import { answerText, type PeerAnswer, type PeerRequest, problemAnswer, readRequest, type SentFile } from "./request.ts"
import type { RequestTable, TakenRequest } from "./requestTable.ts"

type Failure = Problem | StoreError

/** Between two looks: at rest, and for a while after somebody asked. */
const restMs = 1_000
const busyMs = 100
const busyForMs = 30_000
const tidyMs = 60_000
/** Under way at once. */
const most = 16

export interface AnswerPeersOptions {
  readonly store: OpenStore
  readonly account: string
  readonly requests: RequestTable
  readonly desk: Acts & Pick<Desk, "isSaid">
  readonly files: Pick<Files, "find" | "read" | "upload">
  /** Of one file. */
  readonly uploadBytes: number
}

const unreadable = problem(400, "The page that has this conversation cannot read what was asked of it.")

const make = ({ store, account, requests, desk, files, uploadBytes }: AnswerPeersOptions) => {
  const receive = Effect.fnUntraced(function* (
    person: WebPerson,
    from: string,
    { name, mimeType, pieces }: SentFile
  ): Effect.fn.Return<string, Failure> {
    const body = Stream.mapError(readPieces(store, from, pieces), () => new Error("broken off"))
    const kept = yield* files.upload(person.id, { name, mimeType }, Stream.toAsyncIterable(body))
    if (typeof kept === "string") return yield* uploadProblems[kept](uploadBytes)
    yield* removePieces(store, from, pieces)
    return kept.fileId
  })

  const perform = Effect.fnUntraced(function* (
    id: string,
    { person, act }: PeerRequest
  ): Effect.fn.Return<PeerAnswer, Failure> {
    switch (act.do) {
      case "say": {
        const { wish, files: sent } = act
        // Its files came with it the first time.
        if (yield* desk.isSaid(person, wish)) return {}
        const received = yield* Effect.forEach(sent, (file, index) => receive(person, `${id}/${index}`, file))
        yield* desk.say(person, { ...wish, ...(received.length === 0 ? {} : { files: received }) })
        return {}
      }
      case "press": {
        const { text, isHeard } = yield* desk.press(person, act.wish)
        return { ...(text === undefined ? {} : { text }), ...(isHeard === undefined ? {} : { isHeard }) }
      }
      case "change":
        yield* desk.change(person, act.conversation, act.wish)
        return {}
      case "file": {
        const found = yield* files.find(person.id, act.file)
        const body = found && (yield* files.read(found.fileId))
        const pieces = body && (yield* putPieces(store, id, body))
        return pieces === undefined ? yield* problems.noFile : { pieces }
      }
    }
  })

  /** Of its own account and person alone, whatever its id says. */
  const isSound = (id: string, { person, act }: PeerRequest) =>
    id.startsWith(`${account}/${chatOf(person.id, conversationOf(act))}/`)

  return ({ id, request }: TakenRequest) =>
    Effect.suspend(() => {
      const read = Option.filter(readRequest(request), (found) => isSound(id, found))
      return Option.isNone(read) ? Effect.fail<Failure>(unreadable) : perform(id, read.value)
    }).pipe(
      Effect.catchTags({
        Problem: (refused) => Effect.succeed(problemAnswer(refused)),
        StoreError: () => Effect.succeed(problemAnswer(problems.store(undefined)))
      }),
      Effect.catchDefect((defect) =>
        Effect.as(
          Effect.logError("what another page asked for broke off", defect),
          problemAnswer(problem(500, "That did not work.", "Try again; the log says more."))
        )
      ),
      Effect.flatMap((answer) => requests.answer(id, answerText(answer))),
      Effect.catch((error) => Effect.logWarning(`another page did not get its answer: ${error.message}`))
    )
}

const conversationOf = (act: PeerRequest["act"]) =>
  act.do === "file" ? "file" : act.do === "change" ? act.conversation : act.wish.conversation

/** Until the scope closes. */
export const answerPeers = Effect.fnUntraced(function* (
  options: AnswerPeersOptions
): Effect.fn.Return<void, never, Scope.Scope> {
  const { account, requests } = options
  const answer = make(options)
  const slots = Semaphore.makeUnsafe(most)
  const scope = yield* Effect.scope
  let busyUntil = 0
  const round = Effect.gen(function* () {
    const taken = yield* slots.withPermits(1)(requests.take(account, most))
    for (const one of taken) yield* Effect.forkIn(slots.withPermits(1)(answer(one)), scope)
    const now = yield* monotonicMillis
    if (taken.length > 0) busyUntil = now + busyForMs
    return now < busyUntil ? busyMs : restMs
  }).pipe(
    Effect.catch((error) =>
      Effect.as(Effect.logWarning(`what other pages ask cannot be read: ${error.message}`), restMs)
    )
  )
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(round, Effect.sleep)))
  const tidy = Effect.catch(requests.tidy(account), () => Effect.void)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(tidy, Effect.sleep(tidyMs))))
})
