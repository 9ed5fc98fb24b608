/** Delivery by a function of the application. Messages are kept in memory until their turn is over; no tool waits. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Cause, Clock, Effect, Exit, Schema, type Scope, Semaphore } from "effect"
import { type Eventually, eventually } from "../../contract/Input.ts"
import { untraced } from "../../contract/untraced.ts"
import { plainText } from "../format/richText.ts"
import { mostOfTurn, type NewSend, type SendPut, sameWithinMs } from "../journal/sends.ts"
import type { SentMessage, SentState } from "../messages/AgentDeliveryResult.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import { type Piece, ReplyPayload } from "../messages/ReplyPayload.ts"
import { SendError } from "../messages/SendError.ts"
import { removeCopy } from "./copies.ts"
import type { Outlet } from "./gatewayContext.ts"

/** A `SendError` says what became of the message; any other failure means that it may have arrived. */
export type Deliver = (to: Conversation, payload: ReplyPayload) => Eventually<unknown>

interface Sent extends NewSend {
  readonly at: number
  state: SentState
}

export interface OwnDelivery {
  readonly outlet: Outlet
  /** Messages that a turn has sent, each once; waits a while for those in flight. */
  readonly drain: (turnId: string) => Effect.Effect<ReadonlyArray<SentMessage>>
}

const uploadBytes = 50_000_000
const patience = "10 seconds"

const payloadOf = Schema.decodeUnknownSync(ReplyPayload)

const stateAfter = (exit: Exit.Exit<unknown, unknown>): SentState => {
  if (Exit.isSuccess(exit)) return "delivered"
  const error = Cause.squash(exit.cause)
  return error instanceof SendError && error.reason._tag !== "Unknown" ? "failed" : "unknown"
}

const messageOf = ({ conversation: to, tool, text, mediaUrls, state, at }: Sent): SentMessage => ({
  target: {
    ...{ tool, provider: to.channel, accountId: to.accountId, to: to.chatId },
    ...(to.threadId === undefined ? {} : { threadId: to.threadId })
  },
  ...{ text, mediaUrls, state, at }
})

const keyOf = ({ conversation, text, mediaUrls, digests }: NewSend) =>
  JSON.stringify([conversationText(conversation), text, mediaUrls, digests])

/** For this user alone, and no longer than the bridge. */
const placeForCopies = Effect.acquireRelease(
  Effect.tryPromise(() => mkdtemp(join(tmpdir(), "reins-gateway-"))),
  (directory) => Effect.ignore(Effect.tryPromise(() => rm(directory, { recursive: true, force: true })))
).pipe(
  Effect.tapError(() => Effect.logWarning("agents cannot send files: no directory for copies is set")),
  Effect.orElseSucceed(() => undefined)
)

export const makeOwnDelivery = Effect.fn(...untraced("OwnDelivery.makeOwnDelivery"))(function* (
  deliver: Deliver
): Effect.fn.Return<OwnDelivery, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const copies = yield* placeForCopies
  const turns = new Map<string, { readonly sends: Array<Sent>; readonly order: Semaphore.Semaphore }>()
  const turnOf = (turnId: string) => {
    const turn = turns.get(turnId) ?? { sends: [], order: Semaphore.makeUnsafe(1) }
    turns.set(turnId, turn)
    return turn
  }

  /** In the background, behind earlier messages of the same turn. */
  type Pieces = ReadonlyArray<Pick<Piece, "body" | "file">>
  const give = (turnId: string, to: Conversation, pieces: Pieces, done: (state: SentState) => void = () => {}) =>
    Effect.gen(function* () {
      for (const { body, file } of pieces) {
        const exit = yield* Effect.exit(eventually(() => deliver(to, payloadOf(body))))
        if (file !== undefined && copies !== undefined) yield* removeCopy(copies, file)
        done(stateAfter(exit))
        if (Exit.isFailure(exit)) return yield* Effect.logWarning("a message of an agent was not delivered")
      }
    }).pipe(turnOf(turnId).order.withPermit, Effect.forkIn(scope, { startImmediately: true }), Effect.asVoid)

  const put = Effect.fn(...untraced("OwnDelivery.put"))(function* (send: NewSend): Effect.fn.Return<SendPut> {
    const at = yield* Clock.currentTimeMillis
    const { sends } = turnOf(send.turnId)
    const same = sends.find((before) => keyOf(before) === keyOf(send) && at - before.at < sameWithinMs)
    if (same !== undefined) return { _tag: "Same", sendId: same.sendId }
    if (sends.length >= mostOfTurn) return { _tag: "TooMany", most: mostOfTurn }
    const sent: Sent = { ...send, at, state: "queued" }
    sends.push(sent)
    const pieces = send.pieces.map(({ piece }) => piece)
    yield* give(send.turnId, send.conversation, pieces, (state) => {
      sent.state = state
    })
    return { _tag: "Queued", sendId: send.sendId }
  })

  return {
    outlet: {
      journal: {
        sends: { put },
        outbox: {
          put: (pieces) =>
            Effect.forEach(pieces, ({ conversation, turnId = "", piece }) => give(turnId, conversation, [piece]), {
              discard: true
            })
        },
        // The answer comes like any message of the person.
        requests: { put: () => Effect.void }
      },
      render: (payload) => [{ text: plainText(payload.text ?? ""), body: { ...payload }, ...fileOf(payload) }],
      limits: { uploadBytes: copies === undefined ? 0 : uploadBytes, buttons: { most: 0, label: 0, data: 0 } },
      copies: copies ?? "",
      onPut: Effect.void
    },
    drain: Effect.fn(...untraced("OwnDelivery.drain"))(function* (turnId) {
      const turn = turns.get(turnId)
      if (turn === undefined) return []
      yield* Effect.timeoutOption(turn.order.withPermit(Effect.void), patience)
      turns.delete(turnId)
      return turn.sends.map(messageOf)
    })
  }
})

const fileOf = ({ mediaUrls = [] }: ReplyPayload) => {
  const [file] = mediaUrls
  return file === undefined ? {} : { file }
}
