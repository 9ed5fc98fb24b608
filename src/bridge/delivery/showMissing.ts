/** The *Show* button: what may be missing is put into the outbox once more, whole, under a key of its own. */
import { Effect } from "effect"
import type { ChangeError } from "../journal/account.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { OutboxRow } from "../journal/outbox.ts"
import type { Conversation } from "../messages/Conversation.ts"
import { showData } from "./asking.ts"

/** `there`: it is there, or on its way. `nothing`: nothing of this conversation goes by that name. */
export type Shown = "shown" | "there" | "nothing"

type Outbox = Pick<AccountJournal, "outbox">

/** The key of what is shown, for a row that may have been shown before. */
const baseOf = (key: string) => key.replace(/\/shown\/\d+$/, "")

/** The first number that was not tried, unless the one before it is there or on its way. */
const nextKey = Effect.fnUntraced(function* ({ outbox }: Outbox, base: string) {
  for (let number = 0; ; number += 1) {
    const key = `${base}/shown/${number}`
    const state = (yield* outbox.get(key))?.state
    if (state === undefined) return key
    if (state !== "unknown" && state !== "failed") return
  }
})

const show = Effect.fnUntraced(function* (journal: Outbox, { key, conversation, piece, turnId }: OutboxRow) {
  const shownKey = yield* nextKey(journal, baseOf(key))
  if (shownKey === undefined) return false
  const turn = turnId === undefined ? {} : { turnId }
  yield* journal.outbox.put([{ key: shownKey, conversation, piece, kind: "notice", ...turn }])
  return true
})

/**
 * `data`: of the button; undefined: the person has written its label, and means all of the conversation. Of old pieces all
 * are shown, since one question was asked for them. Pressing twice is pressing once.
 */
export const showMissing = Effect.fnUntraced(function* (
  journal: Outbox,
  conversation: Conversation,
  data: string | undefined
): Effect.fn.Return<Shown, ChangeError> {
  const missing = (yield* journal.outbox.unknownIn(conversation)).filter(({ kind }) => kind !== "ask")
  const named = missing.find(({ key }) => showData(key) === data)
  if (data !== undefined && named === undefined) return "nothing"
  const requested =
    named === undefined
      ? missing.filter(({ key }) => key === baseOf(key))
      : named.reason === "old"
        ? missing.filter(({ reason }) => reason === "old")
        : [named]
  if (requested.length === 0) return "nothing"
  const results = yield* Effect.forEach(requested, (row) => show(journal, row))
  return results.includes(true) ? "shown" : "there"
})
