/** Faults for the next calls, and for posts. */

/**
 * Faults of the next calls:
 *
 * - `cutBefore`: not taken, and the connection breaks; `cutAfter`: taken, and it breaks before the answer.
 * - `hang`: not taken, and no answer for as long as the client waits; `hangAfter`: taken, and the same.
 * - `badGateway`: not taken, 502 with HTML; `badGatewayAfter`: taken, and the same.
 * - `invalidJson`: taken, and half an answer with status 200.
 * - `unauthorized`: 190 once; `revoked`: 190 from now on.
 * - `slowMs`: taken at once, answered so much later.
 * - `code`: any other error.
 *
 * For the method `webhook`, the posts: `cutBefore` and `cutAfter`.
 */
export type WhatsAppFault =
  | "cutBefore"
  | "cutAfter"
  | "hang"
  | "hangAfter"
  | "badGateway"
  | "badGatewayAfter"
  | "invalidJson"
  | "unauthorized"
  | "revoked"
  | { readonly slowMs: number }
  | { readonly code: number; readonly details?: string; readonly status?: number; readonly retryAfter?: number }
