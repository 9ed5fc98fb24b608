/** User actions: authorised, deduplicated, answered. Independent of HTTP. */
import { Clock, Context, Effect, Layer } from "effect"
import type { Conversation } from "../../bridge/messages/Conversation.ts"
import type { PressChoice } from "../../bridge/messages/Incoming.ts"
import { interruptedData } from "../../bridge/messages/interrupted.ts"
import type { ServedSight } from "../../bridge/messages/Sight.ts"
import { queuedData } from "../../bridge/serve/queuedNotices.ts"
import { stopData } from "../../bridge/serve/turnProgress.ts"
import { present } from "../../contract/present.ts"
import { shortLine } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { answerChanges } from "./changes.ts"
import { Files, type KeptFile } from "./files.ts"
import { channelId, isPersonId } from "./ids.ts"
import { Arrived, incomingText, Presses } from "./incoming.ts"
import { Page } from "./page.ts"
import { type Failing, notAnswered, type Problem, problems } from "./problem.ts"
import {
  type ChangeBody,
  type ChangesWish,
  choiceNames,
  type MessageBody,
  type Press,
  type PressBody
} from "./requestBodies.ts"
import { ConversationTable, chatOf } from "./rows/conversationTable.ts"
import { Hub } from "./rows/hub.ts"
import type { NewRow } from "./rows/row.ts"
import { RowLog } from "./rows/rowLog.ts"
import { RowTable } from "./rows/rowTable.ts"
import { TurnProjection } from "./turnProjection.ts"
import type { WebPerson } from "./WebChatOptions.ts"

/** A button for the bridge, by its payload, and the row that has it. */
interface ButtonPress {
  readonly data: string
  readonly choice?: PressChoice
  readonly messageId?: string
}

/** The reply to the person. */
interface PressReply {
  readonly text: string | undefined
  /** True if the bridge has received it, and has not answered yet. */
  readonly isHeard?: boolean
}

const longestTitle = 80

/** Key of a message's row. */
const keyOf = (chat: string, id: string) => `m/${chat}/${id}`

const makeUserActions = Effect.gen(function* () {
  const { accountId } = yield* Page
  const [table, log, conversations, hub] = [yield* RowTable, yield* RowLog, yield* ConversationTable, yield* Hub]
  const [files, projection, presses, arrived] = [yield* Files, yield* TurnProjection, yield* Presses, yield* Arrived]
  const scope = yield* Effect.scope
  let newestMessage = 0

  const placeOf = (person: WebPerson, id: string) => {
    const chatId = chatOf(person.id, id)
    return {
      conversation: { channel: channelId, accountId, chatId },
      chat: "direct" as const,
      sender: { id: person.id, isBot: false, ...present({ name: person.name, ids: person.roles }) }
    }
  }

  const isListedIn = ({ roleOf }: ServedSight, person: WebPerson, conversation: string) => {
    const place = placeOf(person, conversation)
    return isPersonId(person.id) && roleOf(place.conversation, place.sender) !== undefined
  }

  /** Fails for persons who may not write: nothing of theirs is stored. */
  const listed = Effect.fn(...untraced("UserActions.listed"))(function* (
    person: WebPerson,
    conversation: string
  ): Effect.fn.Return<void, Problem> {
    const served = yield* projection.whenServed
    if (served === undefined) return yield* problems.notServed
    if (!isListedIn(served, person, conversation)) return yield* problems.notListed
  })

  const own = Effect.fn(...untraced("UserActions.own"))(function* (person: WebPerson, id: string): Failing<string> {
    const chat = chatOf(person.id, id)
    return (yield* conversations.get(chat)) === undefined ? yield* problems.noConversation : chat
  })

  const ask = (
    person: WebPerson,
    { id, conversation }: Pick<PressBody, "id" | "conversation">,
    update: ButtonPress
  ) => {
    const place = placeOf(person, conversation)
    const updateId = `${place.conversation.chatId}/${id}`
    const pressed = { _tag: "Pressed" as const, ...place, updateId, ...update, press: { id } }
    return Effect.suspend(() => presses.press({ pressed, behind: newestMessage }))
  }

  /** Chooses by value, as the commands do. */
  const choose = Effect.fn(...untraced("UserActions.choose"))(function* (
    person: WebPerson,
    conversation: string,
    wish: ChangeBody
  ) {
    const choices = Object.fromEntries(
      choiceNames.flatMap((name) => (wish[name] === undefined ? [] : [[name, wish[name]] as const]))
    )
    if (Object.keys(choices).length === 0) return
    const id = crypto.randomUUID()
    const chosen = yield* ask(person, { id, conversation }, { data: "", choice: { _tag: "Choose", ...choices } })
    if (typeof chosen === "string") return yield* problems.noAnswer
    if (chosen.text !== undefined) return yield* problems.wrong(chosen.text)
  })

  /** The files of an archived conversation leave the disk. */
  const storeWorktree = (conversation: Conversation) =>
    Effect.catch(projection.served()?.changes?.store(conversation) ?? Effect.void, ({ message }) =>
      Effect.logWarning(`the worktree of an archived conversation stays on the disk: ${message}`)
    )

  const attached = (person: WebPerson, ids: ReadonlyArray<string>) =>
    Effect.forEach(
      ids,
      Effect.fnUntraced(function* (id): Failing<KeptFile> {
        return (yield* files.find(person.id, id)) ?? (yield* problems.noFile)
      })
    )

  const say = Effect.fn(...untraced("UserActions.say"))(function* (
    person: WebPerson,
    wish: MessageBody
  ): Failing<void> {
    const { id, conversation, text, how } = wish
    yield* listed(person, conversation)
    const place = placeOf(person, conversation)
    const { chatId } = place.conversation
    const key = keyOf(chatId, id)
    // A repeated message: its sender may have been cut off before the bridge was woken.
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
    const fileRows = attachments.map(({ fileId, name, kind, bytes }) => ({ fileId, name, kind, bytes }))
    const row: NewRow = {
      ...{ chat: chatId, key, at, heard: incomingText(message) },
      body: {
        ...{ row: "message", message: id, text, by: person.name ?? person.id, state: "sent" },
        ...(fileRows.length === 0 ? {} : { files: fileRows })
      }
    }
    // The message counts even if its sender disconnects: the bridge reads it from the store.
    yield* Effect.uninterruptible(
      Effect.map(log.commit([row]), ([outgoing]) => {
        newestMessage = Math.max(newestMessage, outgoing?.id ?? 0)
        arrived.openUnsafe()
      })
    )
  })

  const dataOf = Effect.fn(...untraced("UserActions.dataOf"))(function* (
    chat: string,
    press: Press
  ): Failing<ButtonPress | undefined> {
    switch (press.do) {
      case "decide": {
        const { decision, scope, message } = press
        const choice = { _tag: "Decide", decision, ...present({ scope, message }) } as const
        return { data: `r:${press.requestId}:v`, choice }
      }
      case "answer": {
        const { requestId, answers } = press
        return { data: `r:${requestId}:v`, choice: { _tag: "Answer", ...(answers && { answers }) } }
      }
      case "stop": {
        // A press that names its turn never stops another one, even if it is late.
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
    isSaid: (person: WebPerson, { id, conversation }: Pick<MessageBody, "id" | "conversation">) =>
      Effect.map(table.ofKey(keyOf(chatOf(person.id, conversation), id)), (row) => row !== undefined),
    own,
    listed,
    /** False while no bridge serves. */
    isListed: (person: WebPerson) => {
      const served = projection.served()
      return served !== undefined && isListedIn(served, person, crypto.randomUUID())
    },

    press: Effect.fn(...untraced("UserActions.press"))(function* (
      person: WebPerson,
      wish: PressBody
    ): Failing<PressReply> {
      yield* listed(person, wish.conversation)
      const chat = yield* own(person, wish.conversation)
      // A repeated press acts once, and gets the same answer.
      const isKnown = presses.isKnown(`${chat}/${wish.id}`)
      const update = isKnown ? { data: "" } : yield* dataOf(chat, wish.press)
      if (update === undefined) return { text: "Nothing is running." }
      const answer = yield* ask(person, wish, update)
      if (answer === "unheard") return yield* problems.noAnswer
      // A retry would wait as long, and delay the presses behind it.
      return answer === "unanswered" ? { text: notAnswered, isHeard: true } : answer
    }),

    change: Effect.fn(...untraced("UserActions.change"))(function* (
      person: WebPerson,
      conversation: string,
      wish: ChangeBody
    ): Failing<void> {
      yield* listed(person, conversation)
      const chat = yield* own(person, conversation)
      const title = wish.title === undefined ? undefined : shortLine(wish.title, longestTitle)
      if (title === "") return yield* problems.wrong("The title is empty.")
      yield* choose(person, conversation, wish)
      const archived = wish.archived === undefined ? undefined : wish.archived ? (1 as const) : (0 as const)
      const changed = present({ title, archived })
      if (Object.keys(changed).length > 0) yield* conversations.change(chat, changed)
      hub.state(person.id)
      if (archived === 1) yield* Effect.forkIn(storeWorktree(placeOf(person, conversation).conversation), scope)
    }),

    /** JSON about the changes of the conversation in its worktree. */
    changes: Effect.fn(...untraced("UserActions.changes"))(function* (
      person: WebPerson,
      conversation: string,
      wish: ChangesWish
    ): Failing<string> {
      yield* listed(person, conversation)
      yield* own(person, conversation)
      const { conversation: place, sender } = placeOf(person, conversation)
      const served = projection.served()
      const role = served?.roleOf(place, sender)
      if (served?.changes === undefined || role === undefined) return yield* problems.notServed
      return yield* answerChanges(served.changes, place, role, wish)
    })
  }
})

export class UserActions extends Context.Service<UserActions, Effect.Success<typeof makeUserActions>>()(
  "reins/web/UserActions"
) {
  static readonly layer = Layer.effect(UserActions, makeUserActions)
}

/** Actions in a conversation, wherever it is. */
export type Acts = Pick<UserActions["Service"], "say" | "press" | "change" | "changes">
