/** A message of the outbox whose button was pressed, and from which nothing can come any more: without buttons, with the choice. */
import { Effect } from "effect"
import { harmless } from "../../contract/text/harmless.ts"
import { literal } from "../../conversations/export/markdownText.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Pressed } from "../messages/Incoming.ts"
import { type Direct, patiently } from "./direct.ts"

const longestName = 60

/** Only of a message that has this button: what was pressed may be forged. */
export const makeSettledButtons =
  ({ outbox }: Pick<AccountJournal, "outbox">, edit: Direct["edit"]) =>
  ({ conversation, messageId, data, sender }: Pressed, word: string): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (edit === undefined || messageId === undefined) return
      const row = yield* outbox.ofMessage(conversation, messageId)
      if (row === undefined || !JSON.stringify(row.piece.body).includes(JSON.stringify(data))) return
      const name = harmless(sender.name ?? sender.id).slice(0, longestName)
      const said = row.piece.text.split("\n").map(literal).join("\n")
      const text = `${said}\n\n${literal(name)}: ${word}`
      yield* patiently(edit("request", { conversation, messageId }, { text }), true)
    }).pipe(Effect.ignore)
