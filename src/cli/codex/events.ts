/**
 * Wire line → agent events: a step over a small state (0.169.0). Messages are in `run/messages.ts`, other items in
 * `run/items.ts`; here are the thread, the one turn of a run, and `error` lines, which never end it.
 */
import { Result } from "effect"
import { AgentFailed } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { ProcessExit } from "../../contract/AgentRunResult.ts"
import { isJson } from "../../contract/json.ts"
import { plainWords } from "../../contract/plainWords.ts"
import type { RunReport, Standing, Verdict } from "../Decoder.ts"
import { present } from "../jsonFields.ts"
import { failureOf, type Limit } from "./run/failures.ts"
import { closeOpen, toolLine } from "./run/items.ts"
import { difference, type State, type Step, totalsOf } from "./run/state.ts"
import type { Item, Stage, ThreadStarted, TurnCompleted, Wire } from "./wire.ts"

export const step = (state: State, line: Wire, raw: unknown): Step => {
  switch (line.type) {
    case "error":
      return errorLine(state, line.message ?? "")
    case "turn.failed":
      return turnFailed(state, line.error?.message ?? "", line.error)
    case "thread.started":
      return afterError(state, (released) => threadStarted(released, line))
    case "turn.started":
      return release(state)
    case "turn.completed":
      return afterError(state, (released) => turnCompleted(released, line))
    default: {
      const { type: stage, item } = line
      if (item === undefined) return [state, [{ type: "unknown", raw }]]
      return afterError(state, (released) => itemLine(released, stage, item))
    }
  }
}

const itemLine = (state: State, stage: Stage, item: Item): Step => {
  if (item.type !== "agent_message" && item.type !== "reasoning") return toolLine(state, stage, item)
  return [state, stage === "item.completed" ? state.messages.completed(item) : []]
}

/** An error that was held back comes before the events of the next line. */
const afterError = (state: State, read: (released: State) => Step): Step => {
  if (state.heldError === undefined) return read(state)
  const [released, notices] = release(state)
  const [next, events] = read(released)
  return [next, [...notices, ...events]]
}

const threadStarted = (state: State, { thread_id: sessionId }: ThreadStarted): Step => [
  { ...state, report: { ...state.report, sessionId } },
  [{ type: "session", sessionId }]
]

/** `Reconnecting... 2/5 (…)`, or `Reconnecting... waiting for network (…)` */
const reconnecting = /^Reconnecting\.\.\. (?:(\d+)\/(\d+))?/

export const retry = (message: string): AgentEvent => {
  const [, attempt, maxRetries] = reconnecting.exec(message) ?? []
  const words = plainWords(message)
  const data = {
    ...(attempt === undefined ? {} : { attempt: Number(attempt), maxRetries: Number(maxRetries) }),
    ...(words === message ? {} : { text: message })
  }
  return { type: "notice", kind: "retry", message: words, ...(Object.keys(data).length === 0 ? {} : { data }) }
}

/** Any other message may be a copy of the failure that follows; if it is not, it becomes an event at the next line. */
const errorLine = (state: State, message: string): Step => {
  state.messages.retry()
  const [released, notices] = release(state)
  if (reconnecting.test(message)) return [released, [...notices, retry(message)]]
  return [{ ...released, heldError: message }, notices]
}

const release = (state: State): Step =>
  state.heldError === undefined ? [state, []] : [{ ...state, heldError: undefined }, [retry(state.heldError)]]

const turnFailed = (state: State, message: string, limit: Limit): Step => {
  const isCopy = state.heldError === message || message === ""
  const [released, notices] = isCopy ? [{ ...state, heldError: undefined }, []] : release(state)
  const results = closeOpen(released)
  const reason = failureOf(message === "" ? (state.heldError ?? "") : message, limit)
  return [{ ...released, verdict: released.verdict ?? { _tag: "Failure", reason } }, [...notices, ...results]]
}

const turnCompleted = (state: State, line: TurnCompleted): Step => {
  const results = closeOpen(state)
  const totals = line.usage == null ? undefined : totalsOf(line.usage)
  const usage = totals && state.base && difference(totals, state.base)
  const report: RunReport = {
    ...state.report,
    ...present({ usage }),
    ...(state.wantsJson ? structured(state.messages.last()) : {})
  }
  return [{ ...state, report, verdict: state.verdict ?? { _tag: "Success" } }, results]
}

/** The CLI hands the schema to the API and does not check the answer. */
const structured = (message: string | undefined): RunReport => {
  const json = Result.try((): unknown => JSON.parse(message ?? ""))
  return Result.isSuccess(json) && isJson(json.success) ? { structuredOutput: json.success } : {}
}

/** Exit code of Codex for a command line that it does not understand. */
const usageError = 2

/** Versions before 0.148 have no `exec fork`. */
const noFork = new AgentFailed({
  code: "fork_refused",
  category: "invalid_request",
  detail: "Codex did not understand its command line: forkSession needs Codex 0.148.0 or newer, see `reins doctor`"
})

/** The verdict of the turn; else the last error, if the process ended right after it. */
export const verdictOf = (state: State, exit: ProcessExit | undefined): Verdict | undefined => {
  const isRefused = exit !== undefined && "code" in exit && exit.code === usageError
  if (state.isFork && isRefused && state.report.sessionId === undefined) return { _tag: "Failure", reason: noFork }
  if (state.verdict !== undefined || state.heldError === undefined) return state.verdict
  return { _tag: "Failure", reason: failureOf(state.heldError) }
}

/** Only the exit makes the verdict certain; that of the turn's end holds if the process lingers. */
export const standing = ({ verdict }: State): Standing => (verdict === undefined ? "working" : "resting")
