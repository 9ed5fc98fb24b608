/** Faults for the next calls. */
import type { PaceScope } from "./pace.ts"
import type { Parameters } from "./wire.ts"

/**
 * - `cutBefore`: not taken, and the connection breaks; `cutAfter`: taken, and it breaks before the answer.
 * - `hang`: not taken, and no answer for as long as the client waits.
 * - `badGateway`: not taken, 502 with HTML; `badGatewayAfter`: taken, and the same.
 * - `invalidJson`: taken, and half an answer with status 200.
 * - `conflict`: 409, as if another program read the updates; `unauthorized`: 401 once; `revoked`: 401 from now on.
 * - `retryAfter`: 429, and nothing is taken for so many seconds, in the chat (default) or at all.
 * - `slowMs`: taken at once, answered so much later.
 * - `code`: any other answer.
 */
export type TelegramFault =
  | "cutBefore"
  | "cutAfter"
  | "hang"
  | "badGateway"
  | "badGatewayAfter"
  | "invalidJson"
  | "conflict"
  | "unauthorized"
  | "revoked"
  | { readonly retryAfter: number; readonly scope?: PaceScope }
  | { readonly slowMs: number }
  | { readonly code: number; readonly description: string; readonly parameters?: Parameters }

export const makeFaults = <Fault = TelegramFault>() => {
  const waiting: Array<{ readonly method: string; readonly fault: Fault }> = []
  return {
    /** `*` is any method. */
    add: (method: string, fault: Fault, times: number) => {
      for (let index = 0; index < times; index++) waiting.push({ method: method.toLowerCase(), fault })
    },
    /** Once each, in their order. */
    take: (method: string): Fault | undefined => {
      const at = waiting.findIndex((each) => each.method === "*" || each.method === method.toLowerCase())
      return at < 0 ? undefined : waiting.splice(at, 1)[0]?.fault
    }
  }
}

export type Faults<Fault = TelegramFault> = ReturnType<typeof makeFaults<Fault>>
