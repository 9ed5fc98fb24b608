/** The state of the server. */
import type { ServerClock } from "../telegram/clock.ts"
import { limits } from "./limits.ts"
import type { Media } from "./media.ts"
import type { Account } from "./payloads.ts"
import type { KeptChat, People } from "./people.ts"
import type { Posts } from "./posts.ts"
import { Refusal } from "./refusal.ts"

export interface WhatsAppPace {
  /** Messages to one person at once. Default: 45. */
  readonly most?: number
  /** Then one in so many ms. Default: 6,000. */
  readonly everyMs?: number
}

/** A sign that a message was read, and that the business is at work on an answer. */
export interface WhatsAppHint {
  /** The message of the person. */
  readonly messageId: string
  readonly isTyping: boolean
  /** In ms since 1970. */
  readonly at: number
}

export interface World {
  readonly clock: ServerClock
  readonly account: Account & { readonly name: string }
  readonly token: string
  readonly appId: string
  readonly people: People
  readonly media: Media
  readonly posts: Posts
  readonly hints: Array<WhatsAppHint>
  readonly pace: Pace
  /** Receipts wait for `receipts("sent")`. */
  areReceiptsHeld: boolean
  heldReceipts: Array<() => void>
  /** In s since 1970; 0: never. */
  tokenExpiresAt: number
  scopes: ReadonlyArray<string>
  isSubscribed: boolean
}

export const makePace = (now: () => number, options: WhatsAppPace | false) => {
  const { most, everyMs } = { ...limits.pair, ...(options === false ? {} : options) }
  const credits = new Map<KeptChat, { left: number; at: number }>()
  let writes: ReadonlyArray<number> = []
  return {
    /** Counts a message. Throws if it is one too many. */
    spend: (chat: KeptChat) => {
      if (options === false) return
      const { left, at } = credits.get(chat) ?? { left: most, at: now() }
      const present = Math.min(most, left + (now() - at) / everyMs)
      if (present < 1)
        throw new Refusal(131_056, "Too many messages sent from this phone number to the same recipient.", {
          ...{ status: 400, broken: "pace" }
        })
      writes = writes.filter((each) => each > now() - limits.account.spanMs)
      if (writes.length >= limits.account.most)
        throw new Refusal(130_429, "Message failed to send because there were too many.", {
          status: 429,
          broken: "pace"
        })
      writes = [...writes, now()]
      credits.set(chat, { left: present - 1, at: now() })
    }
  }
}
type Pace = ReturnType<typeof makePace>
