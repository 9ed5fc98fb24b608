/** The message of a request, and its row. Failures to write or send are logged: the request can still be answered. */
import { Effect } from "effect"
import { untraced } from "../../contract/untraced.ts"
import { fence } from "../../conversations/export/markdownText.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { RequestRow } from "../journal/requests.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { MessageRef, ReplyPayload } from "../messages/ReplyPayload.ts"
import type { Entry } from "./entry.ts"
import { endPayload, type Look, requestText, titleOf, wholeOf } from "./requestText.ts"
import { words } from "./words.ts"

export type RequestRows = AccountJournal["requests"]

/** How delivery shows a request. Nothing fails: undefined and false are failures. */
export interface Surface extends Look {
  readonly send: (to: Conversation, payload: ReplyPayload, key: string) => Effect.Effect<MessageRef | undefined>
  /** Default: messages cannot be changed; another one says how the request ended, unless it was decided there. */
  readonly edit?: ((ref: MessageRef, payload: ReplyPayload) => Effect.Effect<void>) | undefined
  /** Ends a request of an earlier host, for channels where requests are not messages. */
  readonly over?: ((row: RequestRow) => Effect.Effect<void>) | undefined
  /** Sends a text as a file; returns true once it is there. Default: as messages. */
  readonly sendFile?:
    | ((to: Conversation, name: string, text: string, key: string) => Effect.Effect<boolean>)
    | undefined
}

const logged = <A, E>(what: string, work: Effect.Effect<A, E>): Effect.Effect<A | undefined> =>
  Effect.catchCause(work, (cause) => Effect.as(Effect.logWarning(`a request of an agent ${what}`, cause), undefined))

export type Board = ReturnType<typeof makeBoard>

export const makeBoard = (rows: RequestRows, surface: Surface) => {
  const store = Effect.fn(...untraced("Board.store"))(function* (entry: Entry) {
    const { id, conversation, turnId, asked: requested } = entry
    const request = JSON.stringify({ type: requested.type, title: titleOf(requested) })
    const deadline = requested.deadlineMs === undefined ? {} : { deadline: requested.deadlineMs }
    yield* logged(
      "could not be stored",
      rows.put({ id, conversation, turnId, requestId: requested.requestId, request, ...deadline })
    )
    entry.isStored = true
  })

  const end = Effect.fn(...untraced("Board.end"))(function* (entry: Entry) {
    const { id, ending } = entry
    if (ending === undefined || entry.isEnded || !entry.isStored) return
    entry.isEnded = true
    const { line, person } = ending
    yield* logged(
      "could not be ended in the store",
      person === undefined ? rows.end(id, line) : rows.answer(id, line, person)
    )
  })

  const payloadOf = ({ state, ending, asked: requested, id }: Entry): ReplyPayload | undefined => {
    if (ending !== undefined) return endPayload(titleOf(requested), ending.line)
    return state._tag === "Open" ? requestText(requested, state.draft, id, surface).payload : undefined
  }

  const show = Effect.fn(...untraced("Board.show"))(function* (entry: Entry) {
    const payload = payloadOf(entry)
    const text = payload === undefined ? undefined : JSON.stringify(payload)
    if (payload === undefined || text === entry.shown) return
    entry.shown = text
    if (entry.ref !== undefined && surface.edit !== undefined) return yield* surface.edit(entry.ref, payload)
    // The end is announced only for a request that was shown, and to those who have not decided it themselves.
    if (entry.ending !== undefined && (entry.messages === 0 || entry.ending.isSeen)) return
    entry.messages += 1
    const ref = yield* surface.send(entry.conversation, payload, `${entry.id}.${entry.messages}`)
    if (ref === undefined || entry.ending !== undefined) return
    entry.ref = ref
    entry.messageIds.add(ref.messageId)
    yield* logged("could not be stored", rows.shown(entry.id, ref.messageId))
  })

  /** Brings row and message up to date. */
  const refresh = (entry: Entry): Effect.Effect<void> =>
    entry.oneAtATime.withPermits(1)(
      Effect.gen(function* () {
        if (!entry.isStored) {
          if (entry.ending !== undefined) return
          yield* store(entry)
        }
        yield* end(entry)
        yield* show(entry)
        // It may have ended while it was sent.
        if (entry.ending !== undefined && !entry.isEnded) {
          yield* end(entry)
          yield* show(entry)
        }
      })
    )

  /** Returns true once all of it is there. */
  const sendWhole = (entry: Entry): Effect.Effect<boolean> => {
    const { asked: requested, conversation, id } = entry
    if (requested.type === "question") return Effect.succeed(false)
    const key = `${id}.whole`
    const text = wholeOf(requested)
    if (surface.sendFile !== undefined) return surface.sendFile(conversation, "request.txt", text, key)
    return Effect.map(surface.send(conversation, { text: fence(text) }, key), (ref) => ref !== undefined)
  }

  /** Requests of an earlier host: their answers are no longer awaited. */
  const afterRestart = Effect.gen(function* () {
    for (const row of (yield* logged("could not be read", rows.open)) ?? []) {
      const { id, conversation, messageId, request } = row
      const payload = endPayload(titleOfRow(request), words.restarted)
      const isEdited = messageId !== undefined && surface.edit !== undefined
      // Editing twice is harmless; sending twice is not.
      if (isEdited) yield* surface.edit({ conversation, messageId }, payload)
      const isOver = yield* logged("could not be ended in the store", rows.end(id, words.restarted))
      if (surface.over !== undefined) {
        yield* surface.over(row)
        continue
      }
      if (!isEdited && messageId !== undefined && isOver === true) {
        yield* surface.send(conversation, payload, `${id}.over`)
      }
    }
  })

  return { refresh, sendWhole, afterRestart }
}

const titleOfRow = (request: string): string => {
  try {
    const { title } = JSON.parse(request) as { readonly title?: unknown }
    return typeof title === "string" ? title : ""
  } catch {
    return ""
  }
}
