/** Active readers. Each is woken by changes and reads by itself, so that a slow one does not delay others. */
import { Context, Effect, Latch, Layer } from "effect"

export interface Reader {
  readonly person: string
  /** Undefined for readers of the state alone. */
  readonly chat: string | undefined
  /** The page that has the conversation. */
  readonly account: string | undefined
  readonly latch: Latch.Latch
  /** True if the person's list has changed since it was sent. */
  isStale: boolean
}

export const makeHub = () => {
  const readers = new Set<Reader>()
  let isClosed = false
  return {
    isClosed: () => isClosed,
    size: () => readers.size,
    of: (person: string) => [...readers].filter((reader) => reader.person === person).length,
    join: (person: string, read?: { readonly account: string; readonly chat: string }): Reader => {
      const [account, chat] = [read?.account, read?.chat]
      const reader: Reader = { person, account, chat, latch: Latch.makeUnsafe(false), isStale: true }
      readers.add(reader)
      return reader
    },
    persons: (): ReadonlySet<string> => new Set([...readers].map(({ person }) => person)),
    /** Conversations of other pages that are read, by account. */
    chatsOfOthers: (own: string): ReadonlyMap<string, ReadonlyArray<string>> => {
      const chats = new Map<string, ReadonlyArray<string>>()
      for (const { account, chat } of readers) {
        if (account === undefined || account === own || chat === undefined) continue
        chats.set(account, [...new Set([...(chats.get(account) ?? []), chat])])
      }
      return chats
    },
    leave: (reader: Reader): void => void readers.delete(reader),
    rows: (chats: ReadonlySet<string>): void => {
      for (const { chat, latch } of readers) if (chat !== undefined && chats.has(chat)) latch.openUnsafe()
    },
    /** The list of a person, or the state of all, has changed. */
    state: (person?: string): void => {
      for (const reader of readers) {
        if (person !== undefined && reader.person !== person) continue
        reader.isStale = true
        reader.latch.openUnsafe()
      }
    },
    close: (): void => {
      isClosed = true
      for (const { latch } of readers) latch.openUnsafe()
    }
  }
}

/** Closes with the page: its readers end. */
export class Hub extends Context.Service<Hub, ReturnType<typeof makeHub>>()("reins/web/Hub") {
  static readonly layer = Layer.effect(
    Hub,
    Effect.acquireRelease(Effect.sync(makeHub), ({ close }) => Effect.sync(close))
  )
}
