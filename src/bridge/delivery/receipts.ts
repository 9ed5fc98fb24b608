/** The later word of a channel on a message of ours. */
import { Effect } from "effect"
import { harmless } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import type { ChangeError } from "../journal/account.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { OutboxRow } from "../journal/outbox.ts"
import type { Channel } from "../messages/Channel.ts"
import type { Receipt } from "../messages/Incoming.ts"
import { refused } from "./asking.ts"

export interface ReceiptOptions {
  readonly journal: Pick<AccountJournal, "outbox">
  readonly channel: Pick<Channel, "render" | "limits">
  readonly onFailed?: (row: OutboxRow, reason: string) => Effect.Effect<void>
}

const rowOf = ({ outbox }: ReceiptOptions["journal"], { key, messageId }: Receipt) => {
  if (key !== undefined) return outbox.get(key)
  return messageId === undefined ? Effect.undefined : outbox.ofMessageId(messageId)
}

/** Returns false if the journal does not know the message, or it contains no news. */
export const takeReceipt = Effect.fn(...untraced("Receipts.takeReceipt"))(function* (
  { journal, channel, onFailed }: ReceiptOptions,
  receipt: Receipt
): Effect.fn.Return<boolean, ChangeError> {
  const row = yield* rowOf(journal, receipt)
  if (row === undefined) return false
  switch (receipt.state) {
    case "sent":
      return yield* journal.outbox.sent(row.key, receipt.messageId ?? row.messageId ?? row.key)
    case "closed":
      return yield* journal.outbox.hold(row.key)
    case "failed": {
      const reason = harmless(receipt.reason ?? "the channel has taken it back").slice(0, 300)
      const isNew = yield* journal.outbox.fail(row.key, reason, refused(channel, row))
      if (!isNew) return false
      yield* Effect.logWarning("a piece was taken back by the channel", { key: row.key, kind: row.kind })
      yield* onFailed?.(row, reason) ?? Effect.void
      return true
    }
  }
})
