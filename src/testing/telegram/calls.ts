/** Waiters of the server; every call with its outcome; and violations. */
import type { Params } from "./params.ts"
import type { Refusal } from "./refusal.ts"

export const makeSignal = () => {
  const waiting = new Set<() => void>()
  return {
    notify: () => {
      for (const wake of [...waiting]) wake()
    },
    /** Returns the first value of `look` that is not undefined. Waits without a limit. */
    until: <A>(look: () => A | undefined) =>
      new Promise<A>((resolve, reject) => {
        const wake = () => {
          try {
            const found = look()
            if (found === undefined) return
            resolve(found)
          } catch (error) {
            reject(error)
          }
          waiting.delete(wake)
        }
        waiting.add(wake)
        wake()
      })
  }
}

/** A call of a method. */
export interface TelegramCall {
  /** As it was called; `download` for a file. */
  readonly method: string
  readonly params: Params
  /** In ms since 1970. */
  readonly at: number
  /** `open`: it has no answer yet; `cut`: the server broke the connection; `left`: the client did. */
  readonly outcome: "open" | "answered" | "cut" | "left"
  /** Status of the answer. */
  readonly status?: number
  /** Why it was refused. */
  readonly description?: string
}

/** A call that a careful client never makes. */
export interface TelegramViolation {
  /**
   * - `limit`: more than a method takes, such as a text that is too long.
   * - `pace`: more often than allowed; `forbidden`: before the seconds of a 429 were over.
   */
  readonly rule: "limit" | "pace" | "forbidden"
  readonly method: string
  readonly detail: string
  /** In ms since 1970. */
  readonly at: number
}

export const makeCalls = (now: () => number, signal: ReturnType<typeof makeSignal>) => {
  const calls: Array<TelegramCall> = []
  const violations: Array<TelegramViolation> = []
  const begin = (method: string, params: Params) => {
    const index = calls.push({ method, params, at: now(), outcome: "open" }) - 1
    signal.notify()
    /** Only the first end counts. */
    return (outcome: "answered" | "cut" | "left", more: Pick<TelegramCall, "status" | "description"> = {}) => {
      const call = calls[index]
      if (call?.outcome !== "open") return
      calls[index] = { ...call, outcome, ...more }
      signal.notify()
    }
  }
  return {
    begin,
    violate: (method: string, { broken, message }: Pick<Refusal, "broken" | "message">) => {
      if (broken !== undefined) violations.push({ rule: broken, method, detail: message, at: now() })
    },
    calls: (): ReadonlyArray<TelegramCall> => [...calls],
    violations: (): ReadonlyArray<TelegramViolation> => [...violations]
  }
}

export type Calls = ReturnType<typeof makeCalls>
