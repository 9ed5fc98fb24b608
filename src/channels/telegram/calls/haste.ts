/**
 * Delays that Telegram has asked for, by chat. It does not say whether a delay is for one chat or for all: if three
 * chats are delayed until the same moment, and no call has succeeded since the first of them, it is for all. Pure but
 * for its state, which is bounded. Times are of a monotonic clock.
 */

const mostChats = 1_000
/** Telegram names whole seconds. */
const sameMs = 1_000
const enough = 3

export const makeHaste = () => {
  const until = new Map<string, number>()
  /** The chats of `until` since anything was taken. */
  const recent = new Set<string>()

  const sweep = (now: number) => {
    for (const [chat, end] of until) if (end <= now) until.delete(chat)
    const [oldest] = until.keys()
    if (until.size > mostChats && oldest !== undefined) until.delete(oldest)
    for (const chat of recent) if (!until.has(chat)) recent.delete(chat)
  }

  return {
    /** Gives what is meant. */
    refused: (chatId: string, retryAfterMs: number, now: number): "chat" | "account" => {
      const end = now + retryAfterMs
      until.set(chatId, Math.max(until.get(chatId) ?? 0, end))
      recent.add(chatId)
      sweep(now)
      const alike = [...recent].filter((chat) => Math.abs((until.get(chat) ?? 0) - end) <= sameMs)
      return alike.length >= enough ? "account" : "chat"
    },
    /** Something was taken: it is not all that is put off. */
    taken: () => recent.clear(),
    /** For how long nothing may be asked for. */
    heldMs: (chatId: string, now: number): number => Math.max(0, (until.get(chatId) ?? 0) - now),
    size: () => until.size
  }
}
export type Haste = ReturnType<typeof makeHaste>
