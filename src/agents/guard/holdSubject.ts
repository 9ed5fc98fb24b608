/** Holds a conversation, or a session, for what is above the engine: first in the order of this process, then by its lock. */
import { Effect, type Scope, Semaphore } from "effect"
import { SessionBusy } from "../../contract/AgentError.ts"
import type { Waiting } from "../../contract/Start.ts"
import { type Held, hold, type Unheld } from "./hold.ts"
import { askFor } from "./requests.ts"
import { lockName, type Subject, subjectName } from "./subject.ts"

interface Line {
  readonly semaphore: Semaphore.Semaphore
  /** Number of holders and waiters. */
  users: number
}

const lines = new Map<string, Line>()

/** Entered in the order of the calls; the line is removed with its last user. */
const joined = (name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const line = lines.get(name) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
      lines.set(name, line)
      line.users += 1
      return line
    }),
    (line) =>
      Effect.sync(() => {
        line.users -= 1
        if (line.users === 0) lines.delete(name)
      })
  )

const enter = Effect.fnUntraced(function* ({ subject, isPatient, queued }: HoldSubjectOptions) {
  const line = yield* joined(lockName(subject))
  const { semaphore } = line
  const taken = Effect.acquireRelease(semaphore.take(1), () => semaphore.release(1), { interruptible: true })
  if (line.users === 1) return yield* taken
  if (!isPatient) return yield* new SessionBusy({ what: subject.what, subject: subjectName(subject), waitedMs: 0 })
  queued({ problem: `another run uses the ${subject.what}`, data: { limit: "session" } })
  return yield* Effect.raceFirst(taken, askFor(subject))
})

export interface HoldSubjectOptions {
  readonly subject: Subject
  /** The mark of the run or live session for which it is held. */
  readonly runId: string
  /** If false, fails at once when it is held. */
  readonly isPatient: boolean
  /** How long a holder in another process is waited for, in milliseconds; those of this process are waited for without limit. */
  readonly patienceMs: number
  /** Called when it has to wait: for this process, for another, or for what is left of one that died. */
  readonly queued: (waiting: Waiting) => void
}

/** Holds it until the scope closes. */
export const holdSubject = (options: HoldSubjectOptions): Effect.Effect<Held | Unheld, SessionBusy, Scope.Scope> =>
  Effect.andThen(
    enter(options),
    hold({ ...options, use: "write", patienceMs: options.isPatient ? options.patienceMs : 0 })
  )
