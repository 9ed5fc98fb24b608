/** Performs the rare actions of a dialogue: the conversation itself writes lines and passes on permission requests. */
import { Deferred, Effect } from "effect"
import type { Action } from "../../cli/Live.ts"
import { Aborted, AgentFailed, type FailureReason } from "../../contract/AgentError.ts"
import { failureOf } from "../engine/judge.ts"
import { type HostCallsOptions, makeHostCalls } from "../hostTools/hostCalls.ts"
import type { Changes } from "./changes.ts"
import type { OpenRequests } from "./openRequests.ts"
import type { Turns } from "./turns.ts"

/** The CLI would wait for the line. */
export const unwritable = (problem: string) =>
  new AgentFailed({ code: "unwritable", category: "protocol", detail: `A message for the CLI ${problem}` })

export type RareAction = Exclude<Action, { readonly _tag: "Write" | "Asked" }>

export interface RareActionsOptions extends HostCallsOptions {
  readonly requests: OpenRequests
  readonly changes: Pick<Changes, "answered">
  readonly turns: Pick<Turns, "current" | "end" | "goOn">
  readonly opened: Deferred.Deferred<void>
  readonly fail: (failure: FailureReason) => void
  readonly redact: (failure: FailureReason) => FailureReason
}

export const makeRareActions = (options: RareActionsOptions): ((action: RareAction) => void) => {
  const { requests, changes, turns, opened, fail, redact } = options
  const calls = makeHostCalls(options)

  const endTurn = (action: Extract<Action, { _tag: "TurnEnded" }>) => {
    const { isInterrupted, isOwn = true } = action
    const { answering, stopped } = (isOwn ? turns.current() : undefined) ?? {}
    const { verdict, report } = answering?.judge(action) ?? action
    const reported = failureOf(verdict)
    const reason = reported && redact(reported)
    const isUnwanted = isInterrupted === true || stopped !== undefined
    const again = reason === undefined || isUnwanted ? undefined : answering?.again(reason)
    if (again !== undefined) return turns.goOn(again, report)
    turns.end({ failure: stopped ?? (isInterrupted === true ? new Aborted() : reason) }, report, isOwn)
    if (isInterrupted === true) requests.turnInterrupted()
  }

  return (action) => {
    switch (action._tag) {
      case "Opened":
        Deferred.doneUnsafe(opened, Effect.void)
        break
      case "TurnEnded":
        endTurn(action)
        break
      case "Checked":
        requests.check(action.callId, action.ask)
        break
      case "Questioned": {
        const { _tag, ...question } = action
        requests.question({ type: "question", ...question })
        break
      }
      case "Withdrawn":
        requests.withdraw(action.requestId)
        calls.cancel(action.requestId)
        break
      case "HookCalled":
        calls.hook(action)
        break
      case "McpCalled":
        calls.mcp(action)
        break
      case "Changed":
        changes.answered(action)
        break
      case "Failed":
        fail(redact(action.reason))
    }
  }
}
