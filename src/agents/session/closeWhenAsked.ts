/**
 * An idle live session makes room: it holds its session, and somebody who waits for that would wait for nothing. It closes
 * in good order, and says why. One that is at work goes on.
 */
import { Effect } from "effect"
import type { NoticeEvent } from "../../contract/AgentEvent.ts"
import type { SessionStart } from "../../contract/Start.ts"
import { OwnRequests } from "../engine/ownSeams.ts"
import { isGuarded } from "../engine/sessionGuard.ts"
import { findPlace } from "../guard/place.ts"
import { isWanted } from "../guard/requests.ts"
import type { Conversation } from "./conversation.ts"
import type { Turns } from "./turns.ts"

/** One look at a file each: a turn that follows the last one at once is not cut off. */
const pause = "500 millis"

const notice: NoticeEvent = {
  type: "notice",
  kind: "info",
  message: "The session is closed: it was idle, and another process or run waits for it",
  data: { closed: "wanted" }
}

/** Undefined where nobody else can wait for the session. */
export const closeWhenAsked = Effect.fnUntraced(function* (
  { cli, limits }: SessionStart,
  conversation: Pick<Conversation, "idle" | "closeIfIdle">,
  turns: Pick<Turns, "give" | "sessionId">
) {
  const requests = yield* OwnRequests
  const ofSession = Effect.gen(function* () {
    const sessionId = turns.sessionId()
    if (sessionId === undefined || !isGuarded({ limits })) return false
    const place = yield* Effect.option(findPlace({ what: "session", cli, sessionId }))
    return place._tag === "Some" && isWanted(place.value)
  })
  const isAsked = Effect.map(ofSession, (isIt) => isIt || requests.some((request) => request()))
  while (true) {
    yield* conversation.idle
    yield* Effect.sleep(pause)
    if (!(yield* isAsked)) continue
    if (conversation.closeIfIdle(() => turns.give(notice))) return
  }
})
