/**
 * Keeps a run or a live session to its session: the requested one, else the first that the CLI reports. A repeated
 * `session` event without changes is no news.
 */
import type { LineSession } from "../../cli/Decoder.ts"
import { SessionChanged } from "../../contract/AgentError.ts"
import type { SessionEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import { textCopy } from "../../contract/text/jsonPattern.ts"
import { isSameSession } from "../guard/subject.ts"

/** The parameters that name the session. */
export type SessionParams = Pick<AgentExecuteParams, "sessionId" | "newSessionId" | "forkSession">

export interface SameSession {
  /** The failure for what belongs to another session. */
  readonly foreign: (line: LineSession) => SessionChanged | undefined
  /** False if the event repeats the one before. */
  readonly isNews: (event: SessionEvent) => boolean
}

export const makeSameSession = ({ sessionId, newSessionId, forkSession }: SessionParams): SameSession => {
  let expected = forkSession === true ? newSessionId : (sessionId ?? newSessionId)
  let mayChange = false
  let reported: string | undefined
  return {
    foreign: (line) => {
      if (line.mayChange === true) mayChange = true
      if (line.sessionId === undefined) return undefined
      if (expected !== undefined && isSameSession(expected, line.sessionId)) return undefined
      if (expected !== undefined && !mayChange) return new SessionChanged({ asked: expected, got: line.sessionId })
      expected = textCopy(line.sessionId)
      mayChange = false
      return undefined
    },
    isNews: (event) => {
      const facts = JSON.stringify(event)
      const isRepeated = facts === reported
      reported = facts
      return !isRepeated
    }
  }
}
