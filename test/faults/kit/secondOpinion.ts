/**
 * The verdict of a CLI on its run, by its raw wire lines and simple rules: a second, plainer opinion beside the decoders,
 * so that a wrong verdict of theirs shows.
 */
import { assert } from "vitest"
import type { CliId } from "../../../src/agents/Agents.ts"
import type { ProcessExit } from "../../../src/contract/AgentRunResult.ts"
import type { RunReason } from "../../../src/contract/FailureReason.ts"

/** A wire line, whatever it holds. */
export interface Wire {
  readonly [name: string]: unknown
  readonly type?: unknown
}

export interface Opinion {
  /** Its verdict, once the process has exited in that way; without one, when nothing more can come. */
  readonly verdict: (exit?: ProcessExit) => Extract<RunReason, "completed" | "agent_failed"> | undefined
  /** It has reported how the run ended and may exit: silence is fine then. */
  readonly rests: boolean
  /** It has said all of its answer, and only has to report the end. Default: false. */
  readonly isAnswered?: boolean
}

const fields = (value: unknown): Wire => (typeof value === "object" && value !== null ? (value as Wire) : {}) // any object

const ofType = (lines: ReadonlyArray<Wire>, ...types: ReadonlyArray<string>) =>
  lines.filter(({ type }) => types.includes(String(type)))

const signs: ReadonlyArray<unknown> = ["init", "api_retry", "model_fallback", "thinking_tokens"]

const continues = ({ type, subtype, status }: Wire) =>
  ["stream_event", "assistant", "user", "result"].includes(String(type)) ||
  signs.includes(subtype) ||
  (subtype === "status" && status != null)

/** Each `init` begins a turn and each `result` ends one. */
const claude = (lines: ReadonlyArray<Wire>): Opinion => {
  const results = ofType(lines, "result")
  const inits = ofType(lines, "system").filter(({ subtype }) => subtype === "init")
  const changes = lines.filter(({ subtype }) => subtype === "background_tasks_changed")
  const tasks = changes.at(-1)?.["tasks"]
  const isOpen = inits.length > results.length
  const last = results.at(-1)
  const verdict = () => {
    if (last === undefined) return undefined
    if (last["is_error"] !== false) return "agent_failed"
    return isOpen ? undefined : "completed"
  }
  const isBusy = Array.isArray(tasks) && tasks.length > 0
  const own = lines.filter((line) => line["parent_tool_use_id"] == null)
  const delta = own.findLast(({ event }) => fields(event).type === "message_delta")
  // A message that was not streamed has it in itself; those that the CLI makes itself are not answers of the model.
  const reasonIn = ({ event, message }: Wire) => {
    if (fields(event).type === "message_stop") return fields(fields(delta?.["event"])["delta"])["stop_reason"]
    return fields(message)["model"] === "<synthetic>" ? undefined : fields(message)["stop_reason"]
  }
  const stop = own.findLastIndex((line) => reasonIn(line) === "end_turn")
  const hasEnded = stop >= 0 && !own.slice(stop + 1).some(continues)
  const hooks = (subtype: string) => lines.filter((line) => line["subtype"] === subtype).length
  return {
    verdict,
    rests: last !== undefined && !isOpen && !isBusy,
    isAnswered: hasEnded && !isBusy && hooks("hook_started") === hooks("hook_response")
  }
}

/** One `result`, with a status; or an `error` of that severity, which the exit makes the last word. */
const gemini = (lines: ReadonlyArray<Wire>): Opinion => {
  const result = ofType(lines, "result").at(-1)
  const errors = ofType(lines, "error")
  if (result === undefined) {
    const isFailure = errors.some(({ severity }) => severity === "error")
    return { verdict: (exit) => (isFailure && exit !== undefined ? "agent_failed" : undefined), rests: false }
  }
  const { models } = fields(result["stats"])
  const hasAnswer =
    ofType(lines, "tool_use").length > 0 || lines.some(({ role, content }) => role === "assistant" && content !== "")
  const wasAsked = hasAnswer || errors.length > 0 || models === undefined || Object.keys(fields(models)).length > 0
  const isSuccess = result["status"] === "success" && result["error"] === undefined && wasAsked
  return { verdict: () => (isSuccess ? "completed" : "agent_failed"), rests: true }
}

/** One turn, completed or failed; or an error that nothing followed. Another thread than the one asked for is a failure. */
const codex = (lines: ReadonlyArray<Wire>, resumed: string | undefined): Opinion => {
  const turn = ofType(lines, "turn.completed", "turn.failed")[0]
  const isOther =
    resumed !== undefined && ofType(lines, "thread.started").some(({ thread_id }) => thread_id !== resumed)
  const last = lines.at(-1)
  const isHeld = last?.type === "error" && !String(last["message"]).startsWith("Reconnecting...")
  const isFailed = isOther || turn?.type === "turn.failed" || (turn === undefined && isHeld)
  const isCompleted = turn?.type === "turn.completed"
  return {
    verdict: () => (isFailed ? "agent_failed" : isCompleted ? "completed" : undefined),
    rests: isOther || turn !== undefined
  }
}

/** No result: the last line ends a step that called no tool, or the run failed; a refusal ends it behind its tools. */
const opencode = (lines: ReadonlyArray<Wire>): Opinion => {
  const isLate = (line: Wire, index: number) => {
    const before = ofType(lines.slice(0, index), "step_finish", "step_start", "error").at(-1)
    const id = fields(line["part"])["messageID"]
    return line.type !== "step_start" && before?.type === "step_finish" && fields(before["part"])["messageID"] === id
  }
  const steps = lines.filter(
    (line, index) => line.type === "step_finish" || line.type === "error" || !isLate(line, index)
  )
  const last = steps.at(-1)
  const hasFailed = ofType(lines, "error").length > 0
  const step = lines.slice(lines.findLastIndex(({ type }) => type === "step_start"))
  const isRefused = ofType(step, "tool_use").some((line) =>
    /^The user (rejected permission to use|has specified a rule which prevents)/.test(
      String(fields(fields(line["part"])["state"])["error"])
    )
  )
  const verdict = (exit?: ProcessExit) => {
    const isGood = exit === undefined || ("code" in exit && exit.code === 0)
    const hasExitedBadly = exit !== undefined && "code" in exit && exit.code !== 0
    if (hasFailed && (last?.type === "error" || hasExitedBadly)) return "agent_failed"
    if (last?.type !== "step_finish") return undefined
    if (fields(last["part"])["reason"] !== "tool-calls") return "completed"
    return isRefused && isGood ? "agent_failed" : undefined
  }
  // It may still compact; but after its last step a silence says that it does not.
  const isFinal = last?.type === "step_finish" && /^(stop|length)$/.test(String(fields(last["part"])["reason"]))
  return { verdict, rests: isFinal && !hasFailed }
}

/** No result: the last message of the model says how it ended, and the agent may go on after its end. */
const pi = (lines: ReadonlyArray<Wire>): Opinion => {
  const ofModel = (type: string) => ofType(lines, type).filter(({ message }) => fields(message)["role"] === "assistant")
  const [started, ended] = [ofModel("message_start"), ofModel("message_end")]
  const stop = started.length > ended.length ? undefined : fields(ended.at(-1)?.["message"])["stopReason"]
  const agent = lines.findLast(
    ({ type, success, willRetry }) =>
      ["agent_start", "agent_end", "auto_retry_start"].includes(String(type)) ||
      (type === "auto_retry_end" && success === false) ||
      (type === "compaction_end" && willRetry === true)
  )
  const isAtRest = agent?.type === "agent_end" || agent?.type === "auto_retry_end"
  const isCompacting = ofType(lines, "compaction_start", "compaction_end").at(-1)?.type === "compaction_start"
  const isFinished = stop === "stop" || stop === "length" || (stop === "toolUse" && isAtRest)
  return {
    verdict: (exit) => {
      if (stop === "error") return "agent_failed"
      return isFinished && (exit === undefined || ("code" in exit && exit.code === 0)) ? "completed" : undefined
    },
    rests: isFinished && isAtRest && !isCompacting
  }
}

export const secondOpinion = (cli: string, lines: ReadonlyArray<Wire>, resumed: string | undefined): Opinion => {
  const opinions: { readonly [Id in CliId]: (lines: ReadonlyArray<Wire>, resumed: string | undefined) => Opinion } = {
    claude,
    gemini,
    codex,
    opencode,
    pi
  }
  const opinion = Object.entries(opinions).find(([id]) => id === cli)?.[1]
  return opinion === undefined ? assert.fail(`nothing is known of ${cli}`) : opinion(lines, resumed)
}
