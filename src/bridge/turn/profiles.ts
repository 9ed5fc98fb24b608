/**
 * Environments of agents, such as one for each account at a provider: a turn that is refused before any output is retried
 * once with each of the others, and later turns start with the one that answered.
 */
import { Effect } from "effect"
import type { Environment } from "../BridgeOptions.ts"
import { mayRotate } from "./answering.ts"
import type { Outcome } from "./outcome.ts"

/** By the names of agents. */
type Profiles = { readonly [agent: string]: ReadonlyArray<Environment> }

interface Rotation {
  /** The environment that a conversation uses now. */
  readonly environment: (conversation: string, agent: string) => Environment
  /** To be called when a live session was opened: it keeps its environment until `closed`. */
  readonly opened: (conversation: string) => void
  readonly closed: (conversation: string) => void
  /** Tries the environments until one answers. Each further attempt is a turn of its own in the store. */
  readonly ask: <R>(
    conversation: string,
    agent: string,
    turnId: string,
    attempt: (turnId: string, isLast: boolean) => Effect.Effect<Outcome, never, R>,
    /** Runs before another attempt: an open session has the old environment. */
    next: Effect.Effect<void>
  ) => Effect.Effect<Outcome, never, R>
}

const none: Environment = {}

export const makeRotation = (profiles: Profiles): Rotation => {
  /** Index of the environment that answered last, by agent. */
  const answered = new Map<string, number>()
  const [asking, open] = [new Map<string, number>(), new Map<string, number>()]
  const listOf = (agent: string) => (Object.hasOwn(profiles, agent) ? (profiles[agent] ?? []) : [])
  const presentOf = (conversation: string, agent: string) =>
    asking.get(conversation) ?? open.get(conversation) ?? answered.get(agent) ?? 0
  return {
    environment: (conversation, agent) => {
      const list = listOf(agent)
      return list[presentOf(conversation, agent) % Math.max(1, list.length)] ?? none
    },
    opened: (conversation) => {
      const present = asking.get(conversation)
      if (present !== undefined) open.set(conversation, present)
    },
    closed: (conversation) => void open.delete(conversation),
    ask: Effect.fnUntraced(function* (conversation, agent, turnId, attempt, next) {
      const count = Math.max(1, listOf(agent).length)
      const first = presentOf(conversation, agent) % count
      const numbered = (number: number) => (number === 0 ? turnId : `${turnId}.${number}`)
      const ended = Effect.sync(() => asking.delete(conversation))
      const work = Effect.gen(function* () {
        for (let number = 0; ; number += 1) {
          const profile = (first + number) % count
          asking.set(conversation, profile)
          const isLast = number === count - 1
          const outcome = yield* attempt(numbered(number), isLast)
          if (!mayRotate(outcome)) answered.set(agent, profile)
          if (isLast || !mayRotate(outcome)) return outcome
          yield* Effect.logInfo(`profile ${profile + 1} of ${agent} was refused: trying the next one`)
          yield* next
        }
      })
      return yield* Effect.ensuring(work, ended)
    })
  }
}
