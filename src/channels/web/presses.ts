/**
 * Presses on their way to the bridge and back: each waits for its one acknowledgement, and the same press again gets
 * the same answer.
 */
import { Deferred, Effect, Option } from "effect"
import type { Incoming, Pressed } from "../../bridge/messages/Incoming.ts"

/** One that the bridge has not heard yet. */
export interface WaitingPress {
  readonly pressed: Extract<Incoming, { readonly _tag: "Pressed" }>
  /** The number of the newest message when it came: what was written before is heard before. */
  readonly behind: number
}

interface Answer {
  readonly text: string | undefined
}

/** State of a press. `unheard`: nothing was done. `unanswered`: the bridge has received it, and may act on it. */
type Pressing = Answer | "unheard" | "unanswered"

export interface Presses {
  readonly press: (pressed: WaitingPress) => Effect.Effect<Pressing>
  /** The press with this id came before, and has this answer or gets it. */
  readonly isKnown: (updateId: string) => boolean
  readonly acknowledge: (pressed: Pressed, text: string | undefined) => void
  /** The next to be heard, where what was written before it was heard. */
  readonly next: (handled: number) => Pressed | undefined
  /** Number of the message to handle before the next press; undefined if none waits. */
  readonly behind: () => number | undefined
}

const patience = "15 seconds"
const mostRemembered = 2_000
const mostWaiting = 1_000

/** @param wake There is something to be heard. */
export const makePresses = (wake: () => void): Presses => {
  let queue: ReadonlyArray<WaitingPress> = []
  const answers = new Map<string, Deferred.Deferred<Answer>>()

  const remember = (id: string): Deferred.Deferred<Answer> => {
    const answer = Deferred.makeUnsafe<Answer>()
    answers.set(id, answer)
    const [oldest] = answers.keys()
    if (answers.size > mostRemembered && oldest !== undefined) answers.delete(oldest)
    return answer
  }

  return {
    press: (press) =>
      Effect.suspend(() => {
        const id = press.pressed.updateId
        const before = answers.get(id)
        if (before === undefined && queue.length >= mostWaiting) return Effect.succeed("unheard" as const)
        const answer = before ?? remember(id)
        if (before === undefined) {
          queue = [...queue, press]
          wake()
        }
        return Effect.map(Effect.timeoutOption(Deferred.await(answer), patience), (found): Pressing => {
          if (Option.isSome(found)) return found.value
          // A press that the bridge has received is not delivered again: the same press waits for the same answer.
          if (!queue.some(({ pressed }) => pressed.updateId === id)) return "unanswered"
          queue = queue.filter(({ pressed }) => pressed.updateId !== id)
          answers.delete(id)
          return "unheard"
        })
      }),
    isKnown: (updateId) => answers.has(updateId),
    acknowledge: ({ updateId }, text) => {
      const answer = answers.get(updateId)
      if (answer !== undefined) Deferred.doneUnsafe(answer, Effect.succeed({ text }))
    },
    next: (handled) => {
      const [first, ...others] = queue
      if (first === undefined || first.behind > handled) return undefined
      queue = others
      return first.pressed
    },
    behind: () => queue[0]?.behind
  }
}
