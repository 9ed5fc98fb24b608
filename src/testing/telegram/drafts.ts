/** Drafts of a chat or topic (api#sendmessagedraft): one at a time, gone after 30 s or with the bot's next message there. */
import type { KeptChat } from "./chats.ts"
import { limits } from "./limits.ts"
import type { FormattedText } from "./texts.ts"

/** A message that is being made, as a person sees it. */
export interface TelegramDraft extends FormattedText {
  readonly draftId: number
  /** Empty: "Thinking…" is shown. */
  readonly text: string
  /** It has a button that stops it. */
  readonly canStop: boolean
  /** It stays when it is stopped. */
  readonly staysOnStop: boolean
  /** In ms since 1970. */
  readonly at: number
  readonly thread?: number
}

export const makeDrafts = (now: () => number) => {
  const drafts = new Map<string, TelegramDraft>()
  const keyOf = ({ id }: Pick<KeptChat, "id">, thread: number | undefined) => `${id}/${thread ?? ""}`
  return {
    show: (chat: KeptChat, draft: Omit<TelegramDraft, "at">) =>
      void drafts.set(keyOf(chat, draft.thread), { ...draft, at: now() }),
    remove: (chat: Pick<KeptChat, "id">, thread: number | undefined) => void drafts.delete(keyOf(chat, thread)),
    of: (chat: Pick<KeptChat, "id">, thread: number | undefined): TelegramDraft | undefined => {
      const draft = drafts.get(keyOf(chat, thread))
      return draft === undefined || draft.at + limits.draftMs <= now() ? undefined : draft
    }
  }
}

export type Drafts = ReturnType<typeof makeDrafts>
