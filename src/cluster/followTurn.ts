/** Follows a turn that is asked of a home: its events as the home writes them, and its end as its row has it, once. */
import { Clock, Effect } from "effect"
import { resultOfNothing } from "../agents/engine/result.ts"
import { type FailureReason, StoreUnavailable } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { StoreError } from "../contract/StoreError.ts"
import type { End } from "../contract/withoutSecrets.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { endOfText } from "../conversations/turns/storedEnd.ts"
import { turnById } from "../conversations/turns/turnRows.ts"
import { readEvents } from "./eventLog.ts"
import { type Home, listHomes } from "./homes.ts"
import { interruptedEnd } from "./queue.ts"

/** Between looks: at first, and where nothing comes. */
const shortest = 60
const longest = 500
/** For the last events, once the end is in the row. */
const lastMs = 5_000
/** Between looks at whether the home is there. */
const askedMs = 5_000
/** A store that does not answer is asked again for so long. */
const patienceMs = 120_000

interface Followed {
  readonly turnId: string
  readonly home: Home
  readonly isFollowed: boolean
  readonly wantsAgain: boolean
}

const waiting = (home: string): AgentEvent => ({
  type: "notice",
  kind: "queued",
  message: `The turn waits for the home ${home}, which does not run now: reins serve --home ${home} on its machine`,
  data: { home }
})

/** Undefined: it is not over. */
const endNow = Effect.fnUntraced(function* (store: OpenStore, { turnId, wantsAgain }: Followed) {
  const turn = yield* turnById(store, turnId)
  if (turn === undefined) {
    const failure = new StoreUnavailable({ problem: `the turn ${JSON.stringify(turnId)} is not in the store any more` })
    const gone: End = { result: resultOfNothing(failure), failure, hadOutput: false }
    return gone
  }
  if (turn.state === "interrupted") {
    if (!wantsAgain || turn.isGivenUp === true) return interruptedEnd(turnId)
    // Its home could not go on with it.
    return turn.result === undefined ? undefined : (endOfText(turn.result) ?? interruptedEnd(turnId))
  }
  if (turn.state !== "done") return undefined
  const end = turn.result === undefined ? undefined : endOfText(turn.result)
  if (end !== undefined) return end
  const failure = new StoreUnavailable({ problem: `the end of the turn ${JSON.stringify(turnId)} cannot be read` })
  const unread: End = { result: resultOfNothing(failure), failure, hadOutput: true }
  return unread
})

/** `tell` gets each event in order, and none of the end. Fails where the store cannot be asked for two minutes. */
export const followTurn = (
  store: OpenStore,
  followed: Followed,
  tell: (event: AgentEvent) => void
): Effect.Effect<End, FailureReason | StoreError> =>
  Effect.gen(function* () {
    const { turnId, isFollowed, home } = followed
    let position = 0
    let isOver = !isFollowed
    let wait = shortest
    let isTold = false
    let askedAt = yield* Clock.currentTimeMillis
    let reachedAt = askedAt
    let end: End | undefined
    let endedAt = 0
    const look = Effect.gen(function* () {
      const page = isOver ? undefined : yield* readEvents(store, turnId, position)
      if (page !== undefined) {
        position = page.next
        isOver = page.isOver
        page.events.forEach(tell)
      }
      const hasMore = page !== undefined && page.events.length > 0
      if (!hasMore && end === undefined) end = yield* endNow(store, followed)
      return hasMore
    })
    while (true) {
      const found = yield* Effect.result(look)
      const now = yield* Clock.currentTimeMillis
      if (found._tag === "Failure") {
        if (now - reachedAt > patienceMs) return yield* Effect.fail(found.failure)
      } else reachedAt = now
      if (end !== undefined) {
        if (endedAt === 0) endedAt = now
        if (isOver || now - endedAt > lastMs) return end
      }
      const isBusy = found._tag === "Success" && found.success
      wait = isBusy || end !== undefined ? shortest : Math.min(longest, wait * 1.3)
      if (!isTold && end === undefined && now - askedAt > askedMs) {
        askedAt = now
        const homes = yield* Effect.orElseSucceed(listHomes(store), () => [])
        if (homes.find(({ id }) => id === home.id)?.isUp === false) {
          isTold = true
          tell(waiting(home.name))
        }
      }
      yield* Effect.sleep(wait)
    }
  })
