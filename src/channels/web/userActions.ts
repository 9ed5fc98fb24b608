/** User actions: authorised, deduplicated, answered. Independent of HTTP. */
import { Clock, Effect, type Latch } from "effect"
import type { MessageAttachment } from "../../bridge/messages/ChannelMessage.ts"
import type { Incoming, PressChoice } from "../../bridge/messages/Incoming.ts"
import { interruptedData } from "../../bridge/messages/interrupted.ts"
import type { ServedSight } from "../../bridge/messages/Sight.ts"
import { queuedData } from "../../bridge/serve/queuedNotices.ts"
import { stopData } from "../../bridge/serve/turnProgress.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { shortLine } from "../../contract/text/oneLine.ts"
import type { Files } from "./files.ts"
import { channelId, isPersonId } from "./ids.ts"
import { incomingText } from "./incoming.ts"
import type { Presses } from "./presses.ts"
import { notAnswered, type Problem, problems } from "./problem.ts"
import { type ChangeBody, choiceNames, type MessageBody, type Press, type PressBody } from "./requestBodies.ts"
import { type ConversationTable, chatOf } from "./rows/conversationTable.ts"
import type { Hub } from "./rows/hub.ts"
import type { NewRow } from "./rows/row.ts"
import type { RowLog } from "./rows/rowLog.ts"
import type { RowTable } from "./rows/rowTable.ts"
import type { TurnProjection } from "./turnProjection.ts"
import type { WebPerson } from "./WebChatOptions.ts"

export interface UserActionsOptions {
  readonly accountId: string
  readonly seen: TurnProjection
  readonly files: Files
  readonly presses: Presses
  readonly table: RowTable
  readonly log: RowLog
  readonly conversations: ConversationTable
  readonly hub: Hub
  /** There is something for the bridge. */
  readonly arrived: Latch.Latch
}

type Failure = Problem | StoreError

/** An update for the bridge: a button by its payload, and the row that has it. */
interface Given {
  readonly data: string
  readonly choice?: PressChoice
  readonly messageId?: string
}

/** The reply to the person. */
interface Told {
  readonly text: string | undefined
  /** True if the bridge has received it, and has not answered yet. */
  readonly isHeard?: boolean
}

const longestTitle = 80

/** Key of a message's row. */
const keyOf = (chat: string, id: string) => `m/${chat}/${id}`

export const makeUserActions = (options: UserActionsOptions) => {
  const { accountId, seen: projection, files, presses, table, log, conversations, hub, arrived } = options
  let newestMessage = 0

  const placeOf = (person: WebPerson, id: string) => {
    const chatId = chatOf(person.id, id)
    const { id: senderId, name, roles } = person
    return {
      conversation: { channel: channelId, accountId, chatId },
      chat: "direct" as const,
      sender: {
        id: senderId,
        isBot: false,
        ...(name === undefined ? {} : { name }),
        ...(roles === undefined ? {} : { ids: roles })
      }
    }
  }

  const isListedIn = ({ roleOf }: ServedSight, person: WebPerson, conversation: string) => {
    const place = placeOf(person, conversation)
    return isPersonId(person.id) && roleOf(place.conversation, place.sender) !== undefined
  }

  /** May write at all: nothing of others is kept. */
  const listed = Effect.fnUntraced(function* (
    person: WebPerson,
    conversation: string
  ): Effect.fn.Return<void, Problem> {
    const served = yield* projection.whenServed
    if (served === undefined) return yield* problems.notServed
    if (!isListedIn(served, person, conversation)) return yield* problems.notListed
  })

  const own = Effect.fnUntraced(function* (person: WebPerson, id: string): Effect.fn.Return<string, Failure> {
    const chat = chatOf(person.id, id)
    return (yield* conversations.get(chat)) === undefined ? yield* problems.noConversation : chat
  })

  const ask = Effect.fnUntraced(function* (
    person: WebPerson,
    { id, conversation }: { readonly id: string; readonly conversation: string },
    update: Given
  ) {
    const pressed: Extract<Incoming, { readonly _tag: "Pressed" }> = {
      ...{ _tag: "Pressed", ...placeOf(person, conversation), updateId: `${chatOf(person.id, conversation)}/${id}` },
      ...{ ...update, press: { id } }
    }
    return yield* presses.press({ pressed, behind: newestMessage })
  })

  /** By value, as the commands do; undefined: it is chosen. */
  const choose = Effect.fnUntraced(function* (person: WebPerson, conversation: string, wish: ChangeBody) {
    const choices = Object.fromEntries(
      choiceNames.flatMap((name) => (wish[name] === undefined ? [] : [[name, wish[name]] as const]))
    )
    if (Object.keys(choices).length === 0) return
    const id = crypto.randomUUID()
    const chosen = yield* ask(person, { id, conversation }, { data: "", choice: { _tag: "Choose", ...choices } })
    if (typeof chosen === "string") return yield* problems.noAnswer
    if (chosen.text !== undefined) return yield* problems.wrong(chosen.text)
  })

  const attached = (person: WebPerson, ids: ReadonlyArray<string>) =>
    Effect.forEach(
      ids,
      Effect.fnUntraced(function* (id): Effect.fn.Return<MessageAttachment, Failure> {
        const file = yield* files.find(person.id, id)
        if (file === undefined) return yield* problems.noFile
        const { fileId, name, kind, bytes, mimeType } = file
        return { fileId, name, kind, bytes, ...(mimeType === undefined ? {} : { mimeType }) }
      })
    )

  const say = Effect.fnUntraced(function* (person: WebPerson, wish: MessageBody): Effect.fn.Return<void, Failure> {
    const { id, conversation, text, how } = wish
    yield* listed(person, conversation)
    const place = placeOf(person, conversation)
    const { chatId } = place.conversation
    const key = keyOf(chatId, id)
    // A repeated message: its sender may have been cut off before the bridge was told.
    if ((yield* table.ofKey(key)) !== undefined) {
      arrived.openUnsafe()
      return
    }
    const attachments = yield* attached(person, wish.files ?? [])
    if (text.trim() === "" && attachments.length === 0) return yield* problems.wrong("The message is empty.")
    const at = yield* Clock.currentTimeMillis
    const title = shortLine(text.trim() === "" ? (attachments[0]?.name ?? "") : text, longestTitle)
    yield* choose(person, conversation, wish)
    yield* conversations.touch(chatId, title === "" ? "…" : title, at)
    hub.state(person.id)
    const message = {
      ...{ ...place, updateId: `${chatId}/${id}`, messageId: id, sentAt: at, text, attachments, addressed: true },
      ...(how === undefined ? {} : { whileBusy: how })
    }
    const fileRows = attachments.map(({ fileId, name = "file", kind, bytes = 0 }) => ({ fileId, name, kind, bytes }))
    const row: NewRow = {
      ...{ chat: chatId, key, at, heard: incomingText(message) },
      body: {
        ...{ row: "message", message: id, text, by: person.name ?? person.id, state: "sent" },
        ...(fileRows.length === 0 ? {} : { files: fileRows })
      }
    }
    // The message counts even if its sender leaves meanwhile: the bridge reads it from the store.
    yield* Effect.uninterruptible(
      Effect.map(log.commit([row]), ([outgoing]) => {
        newestMessage = Math.max(newestMessage, outgoing?.id ?? 0)
        arrived.openUnsafe()
      })
    )
  })

  const dataOf = Effect.fnUntraced(function* (
    chat: string,
    press: Press
  ): Effect.fn.Return<Given | undefined, Failure> {
    switch (press.do) {
      case "decide": {
        const { decision, scope, message } = press
        const more = { ...(scope === undefined ? {} : { scope }), ...(message === undefined ? {} : { message }) }
        return { data: `r:${press.requestId}:v`, choice: { _tag: "Decide", decision, ...more } }
      }
      case "answer": {
        const { requestId, answers } = press
        return { data: `r:${requestId}:v`, choice: { _tag: "Answer", ...(answers && { answers }) } }
      }
      case "stop": {
        // One that names its turn stops no other, however late it comes.
        const turn = press.turn ?? projection.turnIn(chat)
        return turn === undefined ? undefined : { data: stopData(turn) }
      }
      case "drop":
      case "now":
        return { data: queuedData(press.do, `${chat}/${press.message}`) }
      case "interrupted": {
        const rows = yield* table.ofTurn(press.turn)
        const row = rows.findLast(({ body }) => body.row === "host" && body.what === "interrupted")
        return { data: interruptedData(press.turn, press.choice), ...(row && { messageId: String(row.id) }) }
      }
      case "show": {
        const row = yield* table.get(chat, press.row)
        const [button] = row !== undefined && "buttons" in row ? (row.buttons ?? []).flat() : []
        return button === undefined ? yield* problems.notFound : { data: button.data, messageId: String(press.row) }
      }
      case "button":
        return { data: press.data, ...(press.row === undefined ? {} : { messageId: String(press.row) }) }
    }
  })

  return {
    say,
    /** It is taken down already. */
    isSaid: (person: WebPerson, { id, conversation }: Pick<MessageBody, "id" | "conversation">) =>
      Effect.map(table.ofKey(keyOf(chatOf(person.id, conversation), id)), (row) => row !== undefined),
    own,
    listed,
    /** At present; false while no bridge serves. */
    isListed: (person: WebPerson) => {
      const served = projection.served()
      return served !== undefined && isListedIn(served, person, crypto.randomUUID())
    },

    press: Effect.fnUntraced(function* (person: WebPerson, wish: PressBody): Effect.fn.Return<Told, Failure> {
      yield* listed(person, wish.conversation)
      const chat = yield* own(person, wish.conversation)
      // The same press again does nothing twice, and gets the same answer.
      const isKnown = presses.isKnown(`${chat}/${wish.id}`)
      const update = isKnown ? { data: "" } : yield* dataOf(chat, wish.press)
      if (update === undefined) return { text: "Nothing is running." }
      const answer = yield* ask(person, wish, update)
      if (answer === "unheard") return yield* problems.noAnswer
      // Sent again it would wait as long, and what stands behind it with it.
      return answer === "unanswered" ? { text: notAnswered, isHeard: true } : answer
    }),

    change: Effect.fnUntraced(function* (
      person: WebPerson,
      conversation: string,
      wish: ChangeBody
    ): Effect.fn.Return<void, Failure> {
      yield* listed(person, conversation)
      const chat = yield* own(person, conversation)
      const title = wish.title === undefined ? undefined : shortLine(wish.title, longestTitle)
      if (title === "") return yield* problems.wrong("The title is empty.")
      yield* choose(person, conversation, wish)
      const archived = wish.archived === undefined ? {} : { archived: wish.archived ? (1 as const) : (0 as const) }
      const changed = { ...(title === undefined ? {} : { title }), ...archived }
      if (Object.keys(changed).length > 0) yield* conversations.change(chat, changed)
      hub.state(person.id)
    })
  }
}

export type UserActions = ReturnType<typeof makeUserActions>

/** Actions in a conversation, wherever it is. */
export type Acts = Pick<UserActions, "say" | "press" | "change">
