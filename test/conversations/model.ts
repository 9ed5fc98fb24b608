/** Conversations as a few maps: what has to come of each step. No time, no processes, no database. */
import type { Arbitraries } from "../../src/testingEffect.ts"

type Turn = Arbitraries.ConversationTurnStep

export interface ModelSession {
  state: "live" | "dead" | "quarantined"
  failures: number
  expires: number
}

interface ModelTurn {
  readonly question: string
  state: "over" | "hangs" | "interrupted"
  /** The end, as `Expected.end` has it. */
  end?: string
  /** In which it hung. */
  sessionId?: string
}

/** The end: a text, or the reason of a failure. `asked`: the session that each run was to go on with. */
export interface Expected {
  readonly end: string | "hangs"
  readonly asked: ReadonlyArray<string | undefined>
}

const weekMs = 7 * 86_400_000

export const makeModel = () => {
  const sessions = new Map<string, ModelSession>()
  const conversations = new Map<string, string>()
  const turns = new Map<string, ModelTurn>()
  /** Conversations in which a run hangs, by host and turn. */
  const busy = new Map<string, { readonly host: number; readonly turnId: string }>()

  const use = (sessionId: string, now: number): ModelSession => {
    const session = sessions.get(sessionId) ?? { state: "live", failures: 0, expires: 0 }
    session.expires = Math.max(session.expires, now + weekMs)
    sessions.set(sessionId, session)
    return session
  }

  const usable = (sessionId: string | undefined, now: number) => {
    const session = sessionId === undefined ? undefined : sessions.get(sessionId)
    return session?.state === "live" && session.expires > now ? sessionId : undefined
  }

  /** `begun`: the id of the session in which its last run was. */
  const turn = (step: Turn, turnId: string, now: number, text: string, begun: string | undefined): Expected => {
    const { conversation, course } = step
    const question = `${conversation} ${step.prompt}`
    const known = turns.get(turnId)
    const none: ReadonlyArray<undefined> = []
    if (known !== undefined && known.question !== question) return { end: "TurnMismatch", asked: none }
    if (known?.state === "over") return { end: known.end ?? "", asked: none }
    if (known?.state === "hangs") return { end: "SessionBusy", asked: none }
    const isInterrupted = known?.state === "interrupted"
    if (isInterrupted && step.onInterrupted === "fail") return { end: "TurnInterrupted", asked: none }
    if (busy.has(conversation)) return { end: "SessionBusy", asked: none }

    const continued = isInterrupted && step.onInterrupted === "continue" ? known?.sessionId : undefined
    const found = step.fresh ? undefined : usable(conversations.get(conversation), now)
    const request = continued ?? found
    const isAside = step.fork
    const mayReset = step.onMissing === "fresh" && !isAside
    const isResumed = request !== undefined && !isAside
    const over = (end: string): string => {
      turns.set(turnId, { question, state: "over", end })
      return end
    }
    const heal = (sessionId: string) => {
      const session = use(sessionId, now)
      session.state = "live"
      session.failures = 0
      if (!isAside) conversations.set(conversation, sessionId)
    }
    /** The session is left alone; the turn begins anew where it may. */
    const lose = (state: "dead" | "quarantined", end: string): Expected => {
      const session = request === undefined ? undefined : sessions.get(request)
      if (session !== undefined) session.state = state
      conversations.delete(conversation)
      if (!mayReset) return { end: over(end), asked: [request] }
      if (begun !== undefined) heal(begun)
      return { end: over(text), asked: [request, undefined] }
    }

    if (begun !== undefined && course !== "loses") use(begun, now)
    switch (course) {
      case "hangs":
        turns.set(turnId, { question, state: "hangs", ...(begun === undefined ? {} : { sessionId: begun }) })
        busy.set(conversation, { host: step.host, turnId })
        return { end: "hangs", asked: [request] }
      case "answers":
        if (begun !== undefined) heal(begun)
        return { end: over(text), asked: [request] }
      case "refuses":
        turns.delete(turnId)
        return { end: "AgentFailed", asked: [request] }
      case "loses":
        return isResumed ? lose("dead", "AgentFailed") : { end: over("AgentFailed"), asked: [request] }
      case "isEmpty":
        return isResumed ? lose("quarantined", "") : { end: over(""), asked: [request] }
      case "fails": {
        const session = isResumed ? sessions.get(request) : undefined
        if (session === undefined) return { end: over("Exited"), asked: [request] }
        session.failures += 1
        return session.failures >= 3 ? lose("quarantined", "Exited") : { end: over("Exited"), asked: [request] }
      }
    }
  }

  const kill = (host: number) => {
    for (const [conversation, holder] of busy) {
      if (holder.host !== host) continue
      busy.delete(conversation)
      const turn = turns.get(holder.turnId)
      if (turn !== undefined) turn.state = "interrupted"
    }
  }

  return {
    turn,
    kill,
    conversations,
    isHanging: (host: number) => [...busy.values()].some((each) => each.host === host)
  }
}
