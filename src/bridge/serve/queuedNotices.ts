/** Notices about waiting messages, with buttons. Transient: removed when the turn begins, void after a restart. */
import { createHash } from "node:crypto"
import { Context, Effect, Layer, type Scope } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Channel } from "../messages/Channel.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText, isSameConversation, knownConversation } from "../messages/Conversation.ts"
import type { MessageRef, ReplyPayload } from "../messages/ReplyPayload.ts"
import { texts } from "../texts.ts"
import { Account } from "./account.ts"
import { Direct, patiently } from "./direct.ts"
import type { PressReader } from "./pressReader.ts"
import type { JournalFailure } from "./replies.ts"
import { TurnInterrupts } from "./runningTurns.ts"

export class QueuedNotices extends Context.Service<
  QueuedNotices,
  {
    /** Shows a notice for a waiting message. */
    readonly add: (message: ChannelMessage) => Effect.Effect<void>
    /** Removes notices: a turn has taken their messages, or they were dropped. */
    readonly end: (
      conversation: string,
      updateIds: ReadonlyArray<string>,
      state: "taken" | "dropped"
    ) => Effect.Effect<void>
    /** Removes notices of messages that were dropped elsewhere. */
    readonly removeStale: (conversation: Conversation) => Effect.Effect<void>
    /** The update id of the message that a notice is about. */
    readonly updateIdOf: (conversation: Conversation, noticeId: string) => string | undefined
    readonly press: PressReader
  }
>()("reins/bridge/QueuedNotices") {
  /** Messages with buttons, or updates for a channel that draws them itself. */
  static readonly layer = Layer.effect(
    QueuedNotices,
    Effect.gen(function* () {
      const { channel, journal, hasButtons } = yield* Account
      const { interrupt } = yield* TurnInterrupts
      return channel.watch === undefined
        ? yield* makeQueuedNotices(journal, yield* Direct, hasButtons, interrupt)
        : makeQueueUpdates(channel.watch, journal, interrupt)
    })
  )
}

const keyOf = (updateId: string) => createHash("sha256").update(updateId).digest("hex").slice(0, 16)

export const queuedData = (action: "drop" | "now", updateId: string) =>
  `q:${action === "drop" ? "d" : "n"}:${keyOf(updateId)}`

/** Handles the buttons, however the channel shows them. */
const queuedPress =
  (
    { inbox }: Pick<AccountJournal, "inbox">,
    interrupt: TurnInterrupts["Service"]["interrupt"],
    end: QueuedNotices["Service"]["end"]
  ): PressReader =>
  ({ data, conversation }) => {
    const [, action, key] = /^q:([dn]):([0-9a-f]{16})$/.exec(data) ?? []
    if (action === undefined) return undefined
    return Effect.gen(function* () {
      const text = conversationText(conversation)
      const waiting = yield* inbox.waiting(text)
      const row = waiting.find(({ updateId }) => keyOf(updateId) === key)
      if (row === undefined) return texts.waitsNoLonger
      if (action === "n") return (yield* interrupt(conversation)) !== undefined ? texts.beginsNow : texts.beginsNext
      const [dropped] = yield* inbox.drop([row.updateId])
      yield* end(text, [row.updateId], "dropped")
      return dropped === undefined ? texts.waitsNoLonger : texts.dropped
    })
  }

const makeQueuedNotices = Effect.fn(...untraced("QueuedNotices.makeQueuedNotices"))(function* (
  { inbox }: Pick<AccountJournal, "inbox">,
  direct: Direct["Service"],
  hasButtons: boolean,
  interrupt: TurnInterrupts["Service"]["interrupt"]
): Effect.fn.Return<QueuedNotices["Service"], never, Scope.Scope> {
  const scope = yield* Effect.scope
  /** By update id; without a `ref` until the notice was sent. */
  const notices = new Map<string, { readonly conversation: Conversation; readonly ref: MessageRef | undefined }>()
  const inBackground = (work: Effect.Effect<unknown, unknown>) =>
    Effect.asVoid(Effect.forkIn(Effect.ignore(work), scope))

  /** Removes the notice, or else its buttons. */
  const hide = (ref: MessageRef, text: string): Effect.Effect<unknown> => {
    if (direct.remove !== undefined) return patiently(direct.remove(ref))
    return direct.edit === undefined ? Effect.void : patiently(direct.edit("progress", ref, { text }))
  }

  const show = Effect.fn(...untraced("QueuedNotices.show"))(function* ({ conversation, updateId }: ChannelMessage) {
    const waiting = yield* inbox.waitingIds(conversationText(conversation))
    const place = waiting.indexOf(updateId) + 1
    if (place === 0 || !notices.has(updateId)) return
    const key = keyOf(updateId)
    const [drop, now] = [queuedData("drop", updateId), queuedData("now", updateId)]
    const buttons = [
      [
        { label: texts.drop, data: drop },
        { label: texts.now, data: now }
      ]
    ]
    const payload: ReplyPayload = { text: texts.queued(place), silent: true, ...(hasButtons ? { buttons } : {}) }
    const ref = yield* patiently(direct.send("progress", conversation, payload, `queued/${key}`))
    if (ref === undefined) notices.delete(updateId)
    // If not, its turn has begun meanwhile.
    else if (notices.has(updateId)) notices.set(updateId, { conversation, ref })
    else yield* hide(ref, texts.begun)
  })

  const end: QueuedNotices["Service"]["end"] = (_conversation, updateIds) =>
    Effect.forEach(
      updateIds,
      (updateId) => {
        const ref = notices.get(updateId)?.ref
        notices.delete(updateId)
        return ref === undefined ? Effect.void : inBackground(hide(ref, texts.begun))
      },
      { discard: true }
    )

  return {
    add: (message) =>
      Effect.suspend(() => {
        if (notices.has(message.updateId)) return Effect.void
        notices.set(message.updateId, { conversation: message.conversation, ref: undefined })
        return inBackground(show(message))
      }),
    end,
    removeStale: Effect.fn(...untraced("QueuedNotices.removeStale"))(
      function* (conversation) {
        const own = [...notices].filter(([, notice]) => isSameConversation(notice.conversation, conversation))
        if (own.length === 0) return
        const text = conversationText(conversation)
        const waiting = new Set((yield* inbox.waiting(text)).map(({ updateId }) => updateId))
        const gone = own.flatMap(([updateId]) => (waiting.has(updateId) ? [] : [updateId]))
        yield* end(text, gone, "dropped")
      },
      (work) => Effect.ignore(work)
    ),
    updateIdOf: (conversation, noticeId) =>
      [...notices].find(
        ([, { ref }]) => ref?.messageId === noticeId && isSameConversation(ref.conversation, conversation)
      )?.[0],
    press: queuedPress({ inbox }, interrupt, end)
  }
})

/** Reports the places of waiting messages, in place of notices. */
export const makeQueueUpdates = (
  watch: NonNullable<Channel["watch"]>,
  journal: Pick<AccountJournal, "inbox">,
  interrupt: TurnInterrupts["Service"]["interrupt"]
): QueuedNotices["Service"] => {
  /** Reported places of messages, by conversation. */
  const reported = new Map<string, Map<string, number>>()

  /** Reports places that have changed: they move up when an earlier message is gone. */
  const reportPlaces = Effect.fn(...untraced("QueuedNotices.reportPlaces"))(function* (
    text: string
  ): Effect.fn.Return<void, JournalFailure> {
    const places = reported.get(text)
    if (places === undefined) return
    const waiting = (yield* journal.inbox.waiting(text)).filter(({ updateId }) => places.has(updateId))
    for (const [at, { updateId, message }] of waiting.entries()) {
      if (places.get(updateId) === at + 1) continue
      places.set(updateId, at + 1)
      yield* watch({ _tag: "Message", conversation: message.conversation, updateId, state: "queued", place: at + 1 })
    }
  })

  const end: QueuedNotices["Service"]["end"] = (text, updateIds, state) =>
    Effect.suspend(() => {
      const places = reported.get(text)
      for (const updateId of updateIds) places?.delete(updateId)
      if (places?.size === 0) reported.delete(text)
      const conversation = knownConversation(text)
      const report = Effect.forEach(
        updateIds,
        (updateId) => watch({ _tag: "Message", conversation, updateId, state }),
        {
          discard: true
        }
      )
      return Effect.andThen(report, Effect.ignore(reportPlaces(text)))
    })

  return {
    add: ({ conversation, updateId }) =>
      Effect.suspend(() => {
        const text = conversationText(conversation)
        const places = reported.get(text) ?? new Map<string, number>()
        if (places.has(updateId)) return Effect.void
        reported.set(text, places.set(updateId, 0))
        return Effect.ignore(reportPlaces(text))
      }),
    end,
    removeStale: Effect.fn(...untraced("QueuedNotices.removeStale"))(
      function* (conversation) {
        const text = conversationText(conversation)
        const places = reported.get(text)
        if (places === undefined) return
        const waiting = new Set((yield* journal.inbox.waiting(text)).map(({ updateId }) => updateId))
        const gone = [...places.keys()].filter((updateId) => !waiting.has(updateId))
        yield* end(text, gone, "dropped")
      },
      (work) => Effect.ignore(work)
    ),
    // Such a channel has no notices.
    updateIdOf: () => undefined,
    press: queuedPress(journal, interrupt, end)
  }
}
