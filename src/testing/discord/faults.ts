/** Faults for the next calls. */

/**
 * - `cutBefore`: not taken, and the connection breaks; `cutAfter`: taken, and it breaks before the answer.
 * - `hang`: not taken, and no answer for as long as the client waits.
 * - `badGateway`: not taken, 502 with HTML; `badGatewayAfter`: taken, and the same.
 * - `invalidJson`: taken, and half an answer with its status.
 * - `unauthorized`: 401 once; `revoked`: 401 from now on, and the gateway closes with 4004.
 * - `banned`: 403 with HTML, as of an address with too many bad answers.
 * - `retryAfter`: 429 for so many seconds: of the route in its channel (default), of the account, or without a body.
 * - `slowMs`: taken at once, answered so much later.
 * - `code`: any other answer. `status` defaults to 400.
 *
 * A new connection to the `gateway` hangs, or fails with 502.
 */
export type DiscordFault =
  | "cutBefore"
  | "cutAfter"
  | "hang"
  | "badGateway"
  | "badGatewayAfter"
  | "invalidJson"
  | "unauthorized"
  | "revoked"
  | "banned"
  | { readonly retryAfter: number; readonly scope?: "channel" | "account" | "cloudflare" }
  | { readonly slowMs: number }
  | { readonly code: number; readonly description: string; readonly status?: number }

export const makeFaults = () => {
  const waiting: Array<{ readonly method: string; readonly fault: DiscordFault }> = []
  return {
    /** `*` is any route. */
    add: (method: string, fault: DiscordFault, times: number) => {
      for (let index = 0; index < times; index++) waiting.push({ method, fault })
    },
    /** Once each, in their order. */
    take: (method: string): DiscordFault | undefined => {
      const at = waiting.findIndex((each) => each.method === "*" || each.method === method)
      return at < 0 ? undefined : waiting.splice(at, 1)[0]?.fault
    }
  }
}

export type Faults = ReturnType<typeof makeFaults>
