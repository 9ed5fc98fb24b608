/**
 * Asks the page that has a conversation: by the store, so that pages need no way to each other. What that page does not take
 * in time is taken back, and nothing was done.
 */
import { Effect, Option, Stream } from "effect"
import { monotonicMillis } from "../../../clock/hostClock.ts"
import type { StoreError } from "../../../contract/StoreError.ts"
import type { OpenStore } from "../../../store/OpenStore.ts"
import type { Acts } from "../desk.ts"
import type { Files } from "../files.ts"
import { notAnswered, type Problem, problems } from "../problem.ts"
import { chatOf } from "../rows/conversationTable.ts"
import type { WebPerson } from "../WebPerson.ts"
import { putPieces, readPieces, removePieces } from "./pieces.ts"
import { type PeerAnswer, type PeerRequest, problemIn, readAnswer, requestText, type SentFile } from "./request.ts"
import type { RequestTable } from "./requestTable.ts"

type Failure = Problem | StoreError
type Act = PeerRequest["act"]
type Done = Exclude<PeerAnswer, { readonly problem: unknown }>

const lookMs = 150
/** A page looks once a second. */
const takenMs = 5_000
/** It waits for its bridge by itself, for fifteen seconds. */
const answeredMs = 25_000

export interface PeerPage {
  /** What people do there. */
  readonly acts: Acts
  readonly read: (person: WebPerson, fileId: string) => Effect.Effect<ReadableStream<Uint8Array>, Failure>
}

export interface AskPeerOptions {
  readonly store: OpenStore
  readonly requests: RequestTable
  /** Of the page that is here. */
  readonly files: Pick<Files, "find" | "read">
}

/** @param name Of the page, for people. */
export const makePeerPage = (
  { store, requests, files }: AskPeerOptions,
  { account, name }: { readonly account: string; readonly name: string }
): PeerPage => {
  /** Undefined: it was taken, and there is no answer yet. */
  const awaitAnswer = Effect.fnUntraced(function* (
    id: string,
    request: string
  ): Effect.fn.Return<PeerAnswer | undefined, Failure> {
    const since = yield* monotonicMillis
    while (true) {
      const found = yield* requests.look(id)
      const elapsedMs = (yield* monotonicMillis) - since
      // Whoever asked for the same has had its answer, and it is gone.
      if (found === undefined) yield* requests.put(account, id, request)
      if (found?.state === "answered") {
        const answer = readAnswer(found.answer)
        return Option.isSome(answer) ? answer.value : yield* problems.noAnswer
      }
      if (found?.state === "asked" && elapsedMs > takenMs && (yield* requests.takeBack(id)))
        return yield* problems.pageAway(name)
      if (elapsedMs > answeredMs) return undefined
      yield* Effect.sleep(lookMs)
    }
  })

  const ask = Effect.fnUntraced(function* (id: string, { id: personId, name: called, roles }: WebPerson, act: Act) {
    const named = { ...(called === undefined ? {} : { name: called }), ...(roles === undefined ? {} : { roles }) }
    const request = requestText({ person: { id: personId, ...named }, act })
    yield* requests.put(account, id, request)
    // Nobody waits for it any more.
    const answer = yield* Effect.onInterrupt(awaitAnswer(id, request), () => Effect.ignore(requests.takeBack(id)))
    if (answer === undefined) return undefined
    const problem = problemIn(answer)
    if (problem === undefined) return answer as Done // it has no problem
    // Sent again as it is, it is done again.
    if (problem.retryAfterS !== undefined) yield* requests.remove(id)
    return yield* problem
  })

  /** The files of a message, which are at this page, on their way. */
  const send = (person: WebPerson, id: string, given: ReadonlyArray<string>) =>
    Effect.forEach(
      given,
      Effect.fnUntraced(function* (fileId, index): Effect.fn.Return<SentFile, Failure> {
        const file = yield* files.find(person.id, fileId)
        const body = file && (yield* files.read(fileId))
        const pieces = body && (yield* putPieces(store, `${id}/${index}`, body))
        if (file === undefined || pieces === undefined) return yield* problems.noFile
        return { name: file.name, ...(file.mimeType === undefined ? {} : { mimeType: file.mimeType }), pieces }
      })
    )

  const idOf = (person: WebPerson, conversation: string, id: string) =>
    `${account}/${chatOf(person.id, conversation)}/${id}`

  const acts: Acts = {
    say: Effect.fnUntraced(function* (person, { files: given = [], ...wish }) {
      const id = idOf(person, wish.conversation, wish.id)
      const sent = yield* send(person, id, given)
      if ((yield* ask(id, person, { do: "say", wish, files: sent })) === undefined) return yield* problems.noAnswer
    }),
    press: Effect.fnUntraced(function* (person, wish) {
      const answer = yield* ask(idOf(person, wish.conversation, wish.id), person, { do: "press", wish })
      return answer === undefined
        ? { text: notAnswered, isHeard: true }
        : { text: answer.text, ...(answer.isHeard === undefined ? {} : { isHeard: answer.isHeard }) }
    }),
    change: Effect.fnUntraced(function* (person, conversation, wish) {
      const id = idOf(person, conversation, crypto.randomUUID())
      if ((yield* ask(id, person, { do: "change", conversation, wish })) === undefined) return yield* problems.noAnswer
    })
  }

  return {
    acts,
    read: Effect.fnUntraced(function* (person, fileId) {
      const id = idOf(person, "file", crypto.randomUUID())
      const pieces = (yield* ask(id, person, { do: "file", file: fileId }))?.pieces
      if (pieces === undefined) return yield* problems.noFile
      const all = Stream.ensuring(readPieces(store, id, pieces), Effect.ignore(removePieces(store, id, pieces)))
      return Stream.toReadableStream(Stream.mapError(all, () => new Error("The file did not come whole.")))
    })
  }
}
