/**
 * Asks the page that has a conversation, through the store, so that pages need no connection to each other. A request that
 * is not taken in time is withdrawn, with nothing done.
 */
import { Effect, Fiber, Option, type Scope, Stream } from "effect"
import { present } from "../../../contract/present.ts"
import { untraced } from "../../../contract/untraced.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import { monotonicMillis } from "../../../system/hostClock.ts"
import type { Files } from "../files.ts"
import { type Failing, type Failure, notAnswered, problems } from "../problem.ts"
import { chatOf } from "../rows/conversationTable.ts"
import type { Acts } from "../userActions.ts"
import type { WebPerson } from "../WebChatOptions.ts"
import { putPieces, readPieces, removePieces } from "./pieces.ts"
import {
  type Done,
  type PeerAnswer,
  type PeerRequest,
  problemIn,
  type RequestTable,
  readAnswer,
  requestText,
  type SentFile
} from "./request.ts"

const lookMs = 150
/** A page polls once a second. */
const takenMs = 5_000
/** The page itself waits fifteen seconds for its bridge. */
const answeredMs = 25_000
/** Time to put a file into the store. */
const fileMs = 4 * 60_000

export interface PeerPage {
  readonly acts: Acts
  readonly read: (person: WebPerson, fileId: string) => Effect.Effect<ReadableStream<Uint8Array>, Failure>
}

export interface AskPeerOptions {
  readonly store: OpenStore
  readonly requests: RequestTable
  readonly files: Pick<Files["Service"], "find" | "read">
  /** Scope of running actions. */
  readonly scope: Scope.Scope
}

/** @param name Of the page, for people. */
export const makePeerPage = (
  { store, requests, files, scope }: AskPeerOptions,
  { account, name }: { readonly account: string; readonly name: string }
): PeerPage => {
  /** Returns undefined without an answer so far. */
  const look = Effect.fn(...untraced("AskPeer.look"))(function* (
    ...[id, request, elapsedMs]: [string, string, number]
  ): Failing<PeerAnswer | undefined> {
    const found = yield* requests.look(id)
    // Another caller of the same request got the answer, or that page has restarted.
    if (found === undefined) yield* requests.put(account, id, request)
    if (found?.state === "answered")
      return Option.getOrUndefined(readAnswer(found.answer)) ?? (yield* problems.noAnswer)
    if (found?.state === "asked" && elapsedMs > takenMs && (yield* requests.takeBack(id)))
      return yield* problems.pageAway(name)
    return undefined
  })

  /** Returns undefined if it was taken, but not answered in time; failures of the store are ignored meanwhile. */
  const awaitAnswer = Effect.fn(...untraced("AskPeer.awaitAnswer"))(function* (
    id: string,
    request: string,
    patienceMs: number
  ) {
    const since = yield* monotonicMillis
    while (true) {
      const elapsedMs = (yield* monotonicMillis) - since
      const answer = yield* Effect.catchTag(look(id, request, elapsedMs), "StoreError", () => Effect.succeed(undefined))
      if (answer !== undefined || elapsedMs > patienceMs) return answer
      yield* Effect.sleep(lookMs)
    }
  })

  const ask = Effect.fn(...untraced("AskPeer.ask"))(function* (
    id: string,
    { id: personId, name: called, roles }: WebPerson,
    act: PeerRequest["act"],
    patienceMs = answeredMs
  ): Failing<Done | undefined> {
    const request = requestText({ person: { id: personId, ...present({ name: called, roles }) }, act })
    yield* requests.put(account, id, request)
    const answer = yield* Effect.onInterrupt(awaitAnswer(id, request, patienceMs), () =>
      Effect.ignore(requests.remove(id))
    )
    if (answer === undefined) return undefined
    const problem = problemIn(answer)
    if (problem === undefined) return "done" in answer ? answer.done : undefined
    // Allows the same request again.
    if (problem.retryAfterS !== undefined) yield* requests.remove(id)
    return yield* problem
  })

  /** Completes actions even if the caller leaves. */
  const onward = <A>(work: Effect.Effect<A, Failure>) => Effect.flatMap(Effect.forkIn(work, scope), Fiber.join)

  /** Puts the files of a message into the store, in pieces. */
  const send = (person: WebPerson, id: string, input: ReadonlyArray<string>) =>
    Effect.forEach(
      input,
      Effect.fnUntraced(function* (fileId, index): Failing<SentFile> {
        const file = yield* files.find(person.id, fileId)
        const body = file && (yield* files.read(fileId))
        const pieces = body && (yield* putPieces(store, `${id}/${index}`, body))
        if (file === undefined || pieces === undefined) return yield* problems.noFile
        return { name: file.name, ...present({ mimeType: file.mimeType }), pieces }
      })
    )

  const idOf = (person: WebPerson, conversation: string, id: string) =>
    `${account}/${chatOf(person.id, conversation)}/${id}`

  const removeSent = (id: string, sent: ReadonlyArray<SentFile>) =>
    Effect.ignore(
      Effect.forEach(sent, ({ pieces }, index) => removePieces(store, `${id}/${index}`, pieces), { discard: true })
    )

  const acts: Acts = {
    say: (person, { files: input = [], ...wish }) =>
      onward(
        Effect.gen(function* () {
          const id = idOf(person, wish.conversation, wish.id)
          const sent = yield* send(person, id, input)
          const reply = ask(id, person, { do: "say", wish, files: sent })
          const isFinal = (error: Failure) => error._tag === "Problem" && error.retryAfterS === undefined
          const answer = yield* Effect.tapError(reply, (error) => (isFinal(error) ? removeSent(id, sent) : Effect.void))
          if (answer === undefined) return yield* problems.noAnswer
          yield* removeSent(id, sent)
        })
      ),
    press: (person, wish) =>
      Effect.map(onward(ask(idOf(person, wish.conversation, wish.id), person, { do: "press", wish })), (answer) =>
        answer === undefined
          ? { text: notAnswered, isHeard: true }
          : { text: answer.text, ...present({ isHeard: answer.isHeard }) }
      ),
    change: Effect.fn(...untraced("AskPeer.change"))(function* (person, conversation, wish) {
      const id = idOf(person, conversation, crypto.randomUUID())
      const answer = yield* onward(ask(id, person, { do: "change", conversation, wish }))
      if (answer === undefined) return yield* problems.noAnswer
    }),
    changes: Effect.fn(...untraced("AskPeer.changes"))(function* (person, conversation, wish) {
      const id = idOf(person, conversation, crypto.randomUUID())
      const answer = yield* onward(ask(id, person, { do: "changes", conversation, wish }))
      return answer?.text ?? (yield* problems.noAnswer)
    })
  }

  return {
    acts,
    read: Effect.fn(...untraced("AskPeer.read"))(function* (person, fileId) {
      const id = idOf(person, "file", crypto.randomUUID())
      const answer = yield* ask(id, person, { do: "file", file: fileId }, fileMs)
      // A late answer is removed by that page.
      if (answer === undefined) return yield* Effect.andThen(requests.remove(id), problems.noAnswer)
      const { pieces } = answer
      if (pieces === undefined) return yield* problems.noFile
      const all = Stream.ensuring(readPieces(store, id, pieces), Effect.ignore(removePieces(store, id, pieces)))
      return Stream.toReadableStream(Stream.mapError(all, () => new Error("The file did not come whole.")))
    })
  }
}
