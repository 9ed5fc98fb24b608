/**
 * Keeps a run or a live session to its session: the one it was asked to resume or to begin, else the first that the CLI
 * names. The first line of another one is not read, nor is anything behind it; the same name again is no news.
 */

import type { CliFacts, Decoder } from "../cli/Cli.ts"
import type { Output } from "../cli/Live.ts"
import { SessionChanged } from "../contract/AgentError.ts"
import type { AgentEvent, SessionEvent } from "../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"

type Push<Out> = (json: unknown) => ReadonlyArray<Out>

export interface SessionGuard {
  /** Reads no line of another session. */
  readonly guard: <Out extends AgentEvent | Output>(push: Push<Out>) => Push<Out>
  /** The CLI has gone over to another session: it must be ended. */
  readonly changed: () => SessionChanged | undefined
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Case says something in the names of some CLIs, and never in a UUID. */
const isSame = (one: string, other: string) =>
  one === other || (uuid.test(one) && one.toLowerCase() === other.toLowerCase())

const isSession = (output: AgentEvent | Output): output is SessionEvent =>
  "type" in output && output.type === "session" && output.parentToolId === undefined

export const makeSessionGuard = (
  { lineSession }: Pick<CliFacts, "lineSession">,
  { sessionId, newSessionId, forkSession }: Pick<AgentExecuteParams, "sessionId" | "newSessionId" | "forkSession">
): SessionGuard => {
  let expected = forkSession === true ? newSessionId : (sessionId ?? newSessionId)
  let mayChange = false
  let changed: SessionChanged | undefined
  let told: string | undefined

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

  const isNews = (session: SessionEvent) => {
    const facts = JSON.stringify(session)
    const isRepeated = facts === told
    told = facts
    return !isRepeated
  }

  const withoutForeign = <Out extends AgentEvent | Output>(outputs: ReadonlyArray<Out>): ReadonlyArray<Out> => {
    if (!outputs.some(isSession)) return outputs
    const foreign = outputs.findIndex((output) => isSession(output) && !isOurs(output.sessionId))
    const own = foreign === -1 ? outputs : outputs.slice(0, foreign)
    return own.filter((output) => !isSession(output) || isNews(output))
  }

  return {
    guard: (push) => (json) => {
      if (changed !== undefined) return []
      const line = lineSession?.(json)
      if (line?.mayChange === true) mayChange = true
      if (line?.sessionId !== undefined && !isOurs(line.sessionId)) return []
      return withoutForeign(push(json))
    },
    changed: () => changed
  }
}

/** A change of the session is the verdict, whatever else was said. */
export const guardedDecoder = (decoder: Decoder, { guard, changed }: SessionGuard): Decoder => ({
  ...decoder,
  push: guard(decoder.push),
  verdict: (exit) => {
    const reason = changed()
    return reason === undefined ? decoder.verdict(exit) : { _tag: "Failure", reason }
  }
})
