/** The advice of grammY's page on flood limits for a 429: the call is made again behind the seconds that Telegram names. */
import type { Transformer } from "grammy"

export const autoRetry =
  (wait: (seconds: number) => Promise<void>): Transformer =>
  async (prev, method, payload, signal) => {
    let answer = await prev(method, payload, signal)
    while (!answer.ok && answer.parameters?.retry_after !== undefined) {
      await wait(answer.parameters.retry_after)
      answer = await prev(method, payload, signal)
    }
    return answer
  }
