/** Requests of agents, by the events of their sessions: from the request to its end, decided or not. */
import { Effect } from "effect"
import type { AgentError } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { PermissionDecisionEvent, QuestionAnswerEvent } from "../../contract/SessionEvent.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { Board } from "./board.ts"
import type { Asked } from "./choices.ts"
import type { Deciding, Ending, Entries, Entry } from "./entry.ts"
import { endLine, words } from "./words.ts"

export interface AskingOptions {
  readonly entries: Entries
  readonly board: Pick<Board, "refresh">
  /** How long an answer is waited for. */
  readonly deadlineMs: number
  /** Gives what stops it. */
  readonly fork: (effect: Effect.Effect<void>) => () => void
}

/** A request that a rule decided at once has neither. */
const isForPeople = (request: Asked) =>
  request.deadlineMs !== undefined || (request.type === "permission_request" && request.preview !== undefined)

const endingOf = (event: PermissionDecisionEvent | QuestionAnswerEvent, here: string): Ending => ({
  line: endLine(event, here),
  person: event.by === "caller" ? event.person : undefined
})

/** Denied because it was not answered. */
const denied = ({ session, asked: { type, requestId } }: Entry): Effect.Effect<boolean, AgentError> =>
  type === "question"
    ? session.answer(requestId, undefined)
    : session.decide(requestId, { decision: "deny", message: words.late })

export const makeAsking = ({ entries, board, deadlineMs, fork }: AskingOptions) => {
  /** The first ending counts. */
  const end = (entry: Entry, ending: Ending) => {
    if (entry.ending !== undefined) return
    entry.ending = ending
    entry.state = ending.person === undefined ? { _tag: "Over" } : { _tag: "Answered", by: ending.person }
    entry.stopWaiting()
    entries.end(entry)
    fork(board.refresh(entry))
  }

  /** The session may have a deadline of its own: one of them comes first. */
  const expiring = (entry: Entry) =>
    Effect.gen(function* () {
      yield* Effect.sleep(deadlineMs)
      if (entry.state._tag !== "Open") return
      entry.state = { _tag: "Over" }
      const isDenied = yield* denied(entry)
      // Else it was decided elsewhere, which its event says.
      if (isDenied)
        end(entry, { line: entry.asked.type === "question" ? words.unanswered : words.denied, person: undefined })
    }).pipe(Effect.catchCause((cause) => Effect.logWarning("a request could not be denied at its deadline", cause)))

  const ask = (conversation: Conversation, turnId: string, session: Deciding, request: Asked) => {
    if (!isForPeople(request)) return
    const entry = entries.add({ conversation, turnId, session, asked: request })
    fork(board.refresh(entry))
    entry.stopWaiting = fork(expiring(entry))
  }

  return {
    event: (conversation: Conversation, turnId: string, session: Deciding, event: AgentEvent) =>
      Effect.sync(() => {
        if (event.type === "permission_request" || event.type === "question") ask(conversation, turnId, session, event)
        if (event.type !== "permission_decision" && event.type !== "question_answer") return
        const entry = entries.of(session, event.requestId)
        if (entry !== undefined) end(entry, endingOf(event, conversation.channel))
      }),
    ended: (session: Deciding) =>
      Effect.sync(() => {
        for (const entry of entries.ofSession(session)) end(entry, { line: words.ended, person: undefined })
      })
  }
}
