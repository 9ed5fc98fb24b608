/** Sessions of the gateway: what a bot was told, kept for a resume, and how often it has identified. */
import { limits } from "./limits.ts"

export interface Sent {
  readonly seq: number
  readonly t: string
  readonly d: unknown
}

/** A connection that has identified or resumed. */
export interface Listener {
  readonly send: (event: Sent) => void
  readonly close: (code: number, reason: string) => void
}

export interface Session {
  readonly id: string
  readonly intents: number
  readonly events: Array<Sent>
  listener: Listener | undefined
  /** Since when it has no connection. */
  leftAt: number
}

export const makeSessions = (now: () => number, nextId: () => string, resumeMs: number) => {
  const all = new Map<string, Session>()
  let identifies: ReadonlyArray<number> = []
  const sweep = () => {
    for (const session of [...all.values()])
      if (session.listener === undefined && session.leftAt + resumeMs <= now()) all.delete(session.id)
  }
  const emit = (session: Session, t: string, d: unknown) => {
    const event = { seq: session.events.length + 1, t, d }
    session.events.push(event)
    session.listener?.send(event)
  }
  return {
    emit,
    /** Tells every session; `d` is made for the intents of each, and undefined where those do not cover it. */
    tell: (t: string, d: (intents: number) => unknown) => {
      sweep()
      for (const session of all.values()) {
        const own = d(session.intents)
        if (own !== undefined) emit(session, t, own)
      }
    },
    /** Counts an IDENTIFY. `soon`: within 5 s of the last one; `spent`: the day's are used up. */
    identify: (): "ok" | "soon" | "spent" => {
      const last = identifies.at(-1)
      identifies = [...identifies.filter((at) => at > now() - limits.identify.spanMs), now()]
      if (identifies.length > limits.identify.most) return "spent"
      return last !== undefined && now() - last < limits.identify.everyMs ? "soon" : "ok"
    },
    identifies: () => identifies.length,
    open: (intents: number, listener: Listener): Session => {
      const session = { id: `session-${nextId()}`, intents, events: [], listener, leftAt: 0 }
      all.set(session.id, session)
      return session
    },
    /** Undefined if it is over. */
    find: (id: string): Session | undefined => {
      sweep()
      return all.get(id)
    },
    end: (id: string) => void all.delete(id),
    all: (): ReadonlyArray<Session> => {
      sweep()
      return [...all.values()]
    }
  }
}

export type Sessions = ReturnType<typeof makeSessions>
