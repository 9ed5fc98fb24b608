/**
 * What Telegram has put off, chat by chat. It does not say whether it means a chat or all of them: where two are put off
 * until the same moment, it is all. Pure but for its state, which is bounded. Times are of a clock that never goes back.
 */

const mostChats = 1_000
/** Telegram names whole seconds. */
const sameMs = 1_500

export const makeHaste = () => {
  const until = new Map<string, number>()

  const sweep = (now: number) => {
    for (const [chat, end] of until) if (end <= now) until.delete(chat)
    const [oldest] = until.keys()
    if (until.size > mostChats && oldest !== undefined) until.delete(oldest)
  }

  return {
    /** Gives what is meant. */
    refused: (chatId: string, retryAfterMs: number, now: number): "chat" | "account" => {
      sweep(now)
      const end = now + retryAfterMs
      const isOfAll = [...until].some(([chat, other]) => chat !== chatId && Math.abs(other - end) <= sameMs)
      until.set(chatId, Math.max(until.get(chatId) ?? 0, end))
      return isOfAll ? "account" : "chat"
    },
    isHeld: (chatId: string, now: number): boolean => (until.get(chatId) ?? 0) > now,
    size: () => until.size
  }
}
export type Haste = ReturnType<typeof makeHaste>
