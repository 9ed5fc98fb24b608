/** What is done after an attempt that failed; pure. */
import type { SendReason } from "../messages/SendError.ts"
import { holdMsOf } from "./budgets.ts"

export type Verdict =
  /** Surely not sent: another attempt, after so long. */
  | { readonly do: "again"; readonly inMs: number; readonly isUnreachable: boolean }
  /** It may be there. */
  | { readonly do: "doubt" }
  | { readonly do: "hold" }
  /** `isHeard`: the person can be told of it in the same place. */
  | { readonly do: "fail"; readonly isHeard: boolean }

const [firstMs, longestMs] = [200, 30_000]

/** `failures`: attempts in a row that did not get there, before this one. */
export const backOffMs = (failures: number): number => Math.min(firstMs * 2 ** Math.min(failures, 20), longestMs)

export const verdictOf = (reason: SendReason, { failures }: { readonly failures: number }): Verdict => {
  switch (reason._tag) {
    case "TooFast":
      return { do: "again", inMs: holdMsOf(reason.retryAfterMs), isUnreachable: false }
    case "Unreachable":
      return { do: "again", inMs: backOffMs(failures), isUnreachable: true }
    case "Unknown":
      return { do: "doubt" }
    case "Closed":
      return { do: "hold" }
    case "Refused":
      return { do: "fail", isHeard: true }
    case "Gone":
      return { do: "fail", isHeard: reason.what === "message" }
  }
}
