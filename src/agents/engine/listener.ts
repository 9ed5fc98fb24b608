/**
 * Passes each line of a process to its course, a run or a live session, with the checks that both share: the first line of another
 * session is not read, nor is anything after it; secrets are redacted from notices, waits are announced to the watchdog.
 * Synchronous, so that stdout is never blocked.
 */
import { Deferred, Effect } from "effect"
import { boundedFacts } from "../../cli/boundedFacts.ts"
import type { Cli } from "../../cli/Cli.ts"
import type { LineSession } from "../../cli/Decoder.ts"
import type { Output } from "../../cli/Live.ts"
import { type FailureReason, SessionChanged } from "../../contract/AgentError.ts"
import type { AgentEvent, SessionEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import { textCopy } from "../../contract/text/jsonLine.ts"
import type { Redactor } from "../../system/process/redactor.ts"
import { isSameSession } from "../guard/place.ts"
import type { Course } from "./course.ts"
import type { ReadLine, WireLine } from "./readLine.ts"
import { redactEvent } from "./redact.ts"
import { makeSessionChecks } from "./sessionChecks.ts"
import type { Watchdog } from "./watchdog.ts"

export type SessionParams = Pick<AgentExecuteParams, "sessionId" | "newSessionId" | "forkSession">

const makeSameSession = ({ sessionId, newSessionId, forkSession }: SessionParams) => {
  let expected = forkSession === true ? newSessionId : (sessionId ?? newSessionId)
  let mayChange = false
  let reported: string | undefined
  return {
    /** The failure for a line or event of another session. */
    foreign: (line: LineSession) => {
      if (line.mayChange === true) mayChange = true
      if (line.sessionId === undefined) return undefined
      if (expected !== undefined && isSameSession(expected, line.sessionId)) return undefined
      if (expected !== undefined && !mayChange) return new SessionChanged({ asked: expected, got: line.sessionId })
      expected = textCopy(line.sessionId)
      mayChange = false
      return undefined
    },
    /** False if the event repeats the one before. */
    isNews: (event: SessionEvent) => {
      const facts = JSON.stringify(event)
      const isRepeated = facts === reported
      reported = facts
      return !isRepeated
    }
  }
}

/** The part of a course that takes lines. */
type ListeningCourse = Pick<
  Course,
  "stages" | "permissionMode" | "give" | "act" | "isOver" | "fail" | "onLineEnd" | "onChunk"
>

export interface ListenerOptions {
  readonly cli: Cli
  readonly options: AgentOptions
  readonly params: SessionParams
  /** Absolute. */
  readonly workingDirectory: string
  readonly watchdog: Pick<Watchdog, "notice">
  readonly redactor: Redactor
  readonly course: ListeningCourse
}

/** Only the engine makes ends and errors: from a CLI such events count as unknown lines. */
export const eventOfCli = (event: AgentEvent, workingDirectory: string): AgentEvent => {
  switch (event.type) {
    case "done":
    case "turn_done":
    case "error":
      return { type: "unknown", raw: event }
    case "plan":
    case "tool_use":
    case "tool_result":
      return boundedFacts(event, workingDirectory)
    default:
      return event
  }
}

export const makeListener = (listenerOptions: ListenerOptions) => {
  const { cli, options, params, workingDirectory, watchdog, redactor, course } = listenerOptions
  const session = makeSameSession(params)
  const checks = makeSessionChecks(cli, options, course.permissionMode)
  const named = Deferred.makeUnsafe<string>()
  /** The session of the lines so far, where they name it. */
  let known: string | undefined
  let hasSpoken = false

  /** Nearly all lines name the session of the one before. */
  const foreign = ({ json, glance }: WireLine) => {
    const line = glance ?? cli.lineSession?.(json)
    if (line === undefined) return undefined
    const { sessionId, mayChange } = line
    if (mayChange !== true && (sessionId === undefined || sessionId === known)) return undefined
    if (sessionId !== undefined) known = textCopy(sessionId)
    return session.foreign(line)
  }

  const onSession = (event: SessionEvent, bytes: number | undefined) => {
    if (event.parentToolId === undefined) {
      const changed = session.foreign(event)
      if (changed !== undefined) return changed
      if (!session.isNews(event)) return undefined
    }
    course.give(event, bytes)
    const { notices, mismatch } = checks.check(event)
    for (const notice of notices) course.give(notice)
    Deferred.doneUnsafe(named, Effect.succeed(event.sessionId))
    return mismatch
  }

  /** Returns the reason to take nothing more. */
  const take = (output: Output, bytes: number | undefined): FailureReason | undefined => {
    if ("_tag" in output) {
      course.act?.(output)
      return undefined
    }
    if (output.type === "session") return onSession(output, bytes)
    const event = output.type === "notice" ? redactEvent(output, redactor) : eventOfCli(output, workingDirectory)
    course.give(event, bytes)
    if (event.type === "notice") watchdog.notice(event)
    return undefined
  }

  return {
    stages: course.stages,
    onLine: (line: ReadLine<Output>) => {
      hasSpoken = true
      // Lines after the end are only recorded, however the bytes are cut.
      if (course.isOver()) return
      const changed = foreign(line)
      if (changed !== undefined) return course.fail(changed)
      for (const output of line.outputs()) {
        const mismatch = take(output, line.bytes)
        if (mismatch !== undefined) return course.fail(mismatch)
      }
      course.onLineEnd(line)
    },
    onChunk: course.onChunk ?? (() => {}),
    /** Completes when the CLI has reported its session: by then it has read its settings. */
    sessionNamed: Deferred.await(named),
    hasSpoken: () => hasSpoken,
    /** A note for a crash if the CLI's version may be its cause. */
    hint: () => checks.hint(hasSpoken)
  }
}
