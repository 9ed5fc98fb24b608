/** Faults for the next calls of a method. */

/**
 * - `cutBefore`: not taken, and the connection breaks; `cutAfter`: taken, and it breaks before the answer.
 * - `hang`: not taken, and no answer for as long as the client waits.
 * - `badGateway`: not taken, 502 with HTML; `badGatewayAfter`: taken, and the same.
 * - `invalidJson`: taken, and half an answer with status 200.
 * - `revoked`: the bot's token is refused from now on.
 * - `retryAfter`: 429, and the method takes nothing for so many seconds, in the channel (default, of a post) or at all.
 * - `slowMs`: taken at once, answered so much later.
 * - `error`: `ok: false` with that word, and any status. Default: 200.
 */
export type SlackFault =
  | "cutBefore"
  | "cutAfter"
  | "hang"
  | "badGateway"
  | "badGatewayAfter"
  | "invalidJson"
  | "revoked"
  | { readonly retryAfter: number; readonly scope?: "chat" | "account" }
  | { readonly slowMs: number }
  | { readonly error: string; readonly status?: number; readonly more?: Readonly<Record<string, unknown>> }
