/**
 * Keeps a run or a live session to its session: the requested one, else the first that the CLI reports. The first line of
 * another session is not read, nor is anything after it; a repeated `session` event without changes is dropped.
 */

import type { CliFacts } from "../cli/Cli.ts"
import type { Stages } from "../cli/Decoder.ts"
import type { Output } from "../cli/Live.ts"
import { SessionChanged } from "../contract/AgentError.ts"
import type { SessionEvent } from "../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"

/** The parameters that name the session. */
export type SessionParams = Pick<AgentExecuteParams, "sessionId" | "newSessionId" | "forkSession">

export interface SessionGuard {
  /** Reads no line of another session. */
  readonly guard: <Out extends Output>(stages: Stages<Out>) => Stages<Out>
  /** The failure if the CLI has changed to another session. */
  readonly changed: () => SessionChanged | undefined
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Case matters in the ids of some CLIs, but not in UUIDs. */
const isSame = (one: string, other: string) =>
  one === other || (uuid.test(one) && one.toLowerCase() === other.toLowerCase())

const isSession = (output: Output): output is SessionEvent =>
  "type" in output && output.type === "session" && output.parentToolId === undefined

export const makeSessionGuard = (
  { lineSession }: Pick<CliFacts, "lineSession">,
  { sessionId, newSessionId, forkSession }: SessionParams
): SessionGuard => {
  let expected = forkSession === true ? newSessionId : (sessionId ?? newSessionId)
  let mayChange = false
  let changed: SessionChanged | undefined
  let reported: string | undefined

  const isOurs = (id: string): boolean => {
    if (expected !== undefined && !isSame(expected, id) && !mayChange) {
      changed = new SessionChanged({ asked: expected, got: id })
      return false
    }
    if (expected === undefined || !isSame(expected, id)) {
      expected = id
      mayChange = false
    }
    return true
  }

  const isOurLine = (json: unknown) => {
    if (changed !== undefined) return false
    const line = lineSession?.(json)
    if (line?.mayChange === true) mayChange = true
    return line?.sessionId === undefined || isOurs(line.sessionId)
  }

  const isNews = (session: SessionEvent) => {
    const facts = JSON.stringify(session)
    const isRepeated = facts === reported
    reported = facts
    return !isRepeated
  }

  const withoutForeign = <Out extends Output>(outputs: ReadonlyArray<Out>): ReadonlyArray<Out> => {
    if (!outputs.some(isSession)) return outputs
    const foreign = outputs.findIndex((output) => isSession(output) && !isOurs(output.sessionId))
    const own = foreign === -1 ? outputs : outputs.slice(0, foreign)
    return own.filter((output) => !isSession(output) || isNews(output))
  }

  return {
    guard: (stages) => (use) =>
      stages((wire, step) => use(wire, (form, json) => (isOurLine(json) ? withoutForeign(step(form, json)) : []))),
    changed: () => changed
  }
}
