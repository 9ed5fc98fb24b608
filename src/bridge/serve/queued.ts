/**
 * A message that waits while the agent works says so: its place, and buttons that drop it or let it begin now. It is of the
 * moment: gone when its turn begins, and without effect after a restart.
 */
import { createHash } from "node:crypto"
import { Effect, type Scope } from "effect"
import type { AccountJournal } from "../journal/Journal.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText, isSameConversation } from "../messages/Conversation.ts"
import type { MessageRef, ReplyPayload } from "../messages/ReplyPayload.ts"
import { texts } from "../texts.ts"
import { type Direct, patiently } from "./direct.ts"
import type { PressReader } from "./presses.ts"

export interface Queued {
  /** A message waits. */
  readonly tell: (message: ChannelMessage) => Effect.Effect<void>
  /** They wait no longer: a turn has taken them, or nobody wants them. */
  readonly over: (
    conversation: string,
    updateIds: ReadonlyArray<string>,
    became: "taken" | "dropped"
  ) => Effect.Effect<void>
  /** Of what was dropped otherwise. */
  readonly check: (conversation: Conversation) => Effect.Effect<void>
  /** The message that a notice is about. */
  readonly named: (conversation: Conversation, noticeId: string) => string | undefined
  readonly press: PressReader
}

const keyOf = (updateId: string) => createHash("sha256").update(updateId).digest("hex").slice(0, 16)

/** The data of buttons. */
export const queuedData = (deed: "drop" | "now", updateId: string) =>
  `q:${deed === "drop" ? "d" : "n"}:${keyOf(updateId)}`

/** What the buttons do, however they are shown. */
export const queuedPress =
  (
    { inbox }: Pick<AccountJournal, "inbox">,
    interrupt: (conversation: Conversation) => Effect.Effect<boolean>,
    over: Queued["over"]
  ): PressReader =>
  ({ data, conversation }) => {
    const [, deed, key] = /^q:([dn]):([0-9a-f]{16})$/.exec(data) ?? []
    if (deed === undefined) return undefined
    return Effect.gen(function* () {
      const text = conversationText(conversation)
      const waiting = yield* inbox.waiting(text)
      const row = waiting.find(({ updateId }) => keyOf(updateId) === key)
      if (row === undefined) return texts.waitsNoLonger
      if (deed === "n") return (yield* interrupt(conversation)) ? texts.beginsNow : texts.beginsNext
      const [dropped] = yield* inbox.drop([row.updateId])
      yield* over(text, [row.updateId], "dropped")
      return dropped === undefined ? texts.waitsNoLonger : texts.dropped
    })
  }

export const makeQueued = Effect.fnUntraced(function* (
  { inbox }: Pick<AccountJournal, "inbox">,
  direct: Direct,
  hasButtons: boolean,
  interrupt: (conversation: Conversation) => Effect.Effect<boolean>
): Effect.fn.Return<Queued, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const shown = new Map<string, { readonly conversation: Conversation; readonly ref: MessageRef | undefined }>()
  const later = (work: Effect.Effect<unknown, unknown>) => Effect.asVoid(Effect.forkIn(Effect.ignore(work), scope))

  /** Without its buttons, or gone. */
  const hide = (ref: MessageRef, text: string): Effect.Effect<unknown> => {
    if (direct.remove !== undefined) return patiently(direct.remove(ref))
    return direct.edit === undefined ? Effect.void : patiently(direct.edit("progress", ref, { text }))
  }

  const show = Effect.fnUntraced(function* ({ conversation, updateId }: ChannelMessage) {
    const waiting = yield* inbox.waitingIds(conversationText(conversation))
    const place = waiting.indexOf(updateId) + 1
    if (place === 0 || !shown.has(updateId)) return
    const key = keyOf(updateId)
    const buttons = [
      [
        { label: texts.drop, data: queuedData("drop", updateId) },
        { label: texts.now, data: queuedData("now", updateId) }
      ]
    ]
    const payload: ReplyPayload = { text: texts.queued(place), silent: true, ...(hasButtons ? { buttons } : {}) }
    const ref = yield* patiently(direct.send("progress", conversation, payload, `queued/${key}`))
    if (ref === undefined) shown.delete(updateId)
    // Its turn has begun meanwhile.
    else if (shown.has(updateId)) shown.set(updateId, { conversation, ref })
    else yield* hide(ref, texts.begun)
  })

  const over: Queued["over"] = (_conversation, updateIds) =>
    Effect.forEach(
      updateIds,
      (updateId) => {
        const ref = shown.get(updateId)?.ref
        shown.delete(updateId)
        return ref === undefined ? Effect.void : later(hide(ref, texts.begun))
      },
      { discard: true }
    )

  return {
    tell: (message) =>
      Effect.suspend(() => {
        if (shown.has(message.updateId)) return Effect.void
        shown.set(message.updateId, { conversation: message.conversation, ref: undefined })
        return later(show(message))
      }),
    over,
    check: (conversation) =>
      Effect.gen(function* () {
        const own = [...shown].filter(([, notice]) => isSameConversation(notice.conversation, conversation))
        if (own.length === 0) return
        const text = conversationText(conversation)
        const waiting = new Set((yield* inbox.waiting(text)).map(({ updateId }) => updateId))
        const gone = own.flatMap(([updateId]) => (waiting.has(updateId) ? [] : [updateId]))
        yield* over(text, gone, "dropped")
      }).pipe(Effect.ignore),
    named: (conversation, noticeId) =>
      [...shown].find(
        ([, { ref }]) => ref?.messageId === noticeId && isSameConversation(ref.conversation, conversation)
      )?.[0],
    press: queuedPress({ inbox }, interrupt, over)
  }
})
