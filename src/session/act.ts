/** What a dialogue wants done → whoever does it. */

import type { Action } from "../cli/Live.ts"
import type { FailureReason } from "../contract/AgentError.ts"
import type { HostCalls } from "../hostTools/hostCalls.ts"
import type { Asks } from "./asks.ts"
import type { Changes } from "./changes.ts"

export interface Doers {
  readonly write: (json: unknown) => void
  readonly asks: Pick<Asks, "permission" | "check" | "question" | "withdraw">
  readonly calls: HostCalls
  readonly changes: Pick<Changes, "answered">
  readonly endTurn: (end: Extract<Action, { _tag: "TurnEnded" }>) => void
  readonly opened: () => void
  readonly failed: (reason: FailureReason) => void
}

export const actWith =
  ({ write, asks, calls, changes, endTurn, opened, failed }: Doers) =>
  (action: Action): void => {
    switch (action._tag) {
      case "Write":
        write(action.json)
        break
      case "Opened":
        opened()
        break
      case "Asked":
        asks.permission(action.ask)
        break
      case "Checked":
        asks.check(action.callId, action.ask)
        break
      case "Questioned": {
        const { _tag, ...question } = action
        asks.question({ type: "question", ...question })
        break
      }
      case "Withdrawn":
        asks.withdraw(action.requestId)
        calls.cancel(action.requestId)
        break
      case "TurnEnded":
        endTurn(action)
        break
      case "Changed":
        changes.answered(action)
        break
      case "HookCalled":
        calls.hook(action)
        break
      case "McpCalled":
        calls.mcp(action)
        break
      case "Failed":
        failed(action.reason)
    }
  }
