/** Requests and questions of agents, asked in their conversations: from the events of live sessions to the answers of people. */
import { Effect, FiberSet, type Scope } from "effect"
import type { AgentError } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { PermissionDecisionEvent, QuestionAnswerEvent } from "../../contract/SessionEvent.ts"
import { untraced } from "../../contract/untraced.ts"
import type { ChannelMessage, Sender } from "../messages/ChannelMessage.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { Pressed } from "../messages/Incoming.ts"
import { makeAnswering } from "./answering.ts"
import { type Board, makeBoard, type RequestRows, type Surface } from "./board.ts"
import type { Asked } from "./choices.ts"
import { type Deciding, type Ending, type Entries, type Entry, makeEntries } from "./entry.ts"
import { endLine, words } from "./words.ts"

export interface ApprovalsOptions {
  readonly rows: RequestRows
  readonly surface: Surface
  readonly acknowledge: (press: Pressed, text?: string) => Effect.Effect<void>
  /** Whether the sender is an approver there. */
  readonly mayAnswer: (conversation: Conversation, sender: Sender) => boolean
}

export interface Approvals {
  /** Handles an event of a live session: asks, and shows the end. Does not wait for the channel. */
  readonly event: (
    conversation: Conversation,
    turnId: string,
    session: Deciding,
    event: AgentEvent
  ) => Effect.Effect<void>
  /** Returns false for the button of something else, which is not acknowledged. */
  readonly press: (pressed: Pressed) => Effect.Effect<boolean>
  /** Returns true if the message was an answer. Commands come before it. */
  readonly text: (message: ChannelMessage) => Effect.Effect<boolean>
  /** Replaces the id of a request by the one that presses name. */
  readonly named: (session: Deciding, event: AgentEvent) => AgentEvent
  /** To be called when nothing of the session is left. */
  readonly ended: (session: Deciding) => Effect.Effect<void>
  /** Ends requests of an earlier host. To be run before anything is asked. */
  readonly afterRestart: Effect.Effect<void>
}

type AboutRequest = Extract<AgentEvent, { readonly requestId: string }>

const isAboutRequest = (event: AgentEvent): event is AboutRequest =>
  ["permission_request", "permission_decision", "question", "question_answer"].includes(event.type)

export const makeApprovals = Effect.fn(...untraced("Bridge.makeApprovals"))(function* (
  options: ApprovalsOptions
): Effect.fn.Return<Approvals, never, Scope.Scope> {
  const { rows, surface, acknowledge, mayAnswer } = options
  const entries = makeEntries()
  const board = makeBoard(rows, surface)
  const run = yield* FiberSet.makeRuntime<never, void, never>()
  const fork = (effect: Effect.Effect<void>) => {
    const fiber = run(effect)
    return () => fiber.interruptUnsafe()
  }
  const { event, ended } = makeAsking({ entries, board, deadlineMs: surface.deadlineMs, fork })
  const { press, text } = makeAnswering({ entries, rows, board, look: surface, acknowledge, mayAnswer, fork })
  const named = (session: Deciding, input: AgentEvent): AgentEvent =>
    isAboutRequest(input) ? { ...input, requestId: entries.idOf(session, input.requestId) } : input
  return { event, ended, press, text, named, afterRestart: board.afterRestart }
})

interface AskingOptions {
  readonly entries: Entries
  readonly board: Pick<Board, "refresh">
  /** How long an answer is waited for. */
  readonly deadlineMs: number
  /** Returns a function that stops the effect. */
  readonly fork: (effect: Effect.Effect<void>) => () => void
}

/** A request that a rule decided at once has neither. */
const isForPeople = (request: Asked) =>
  request.deadlineMs !== undefined || (request.type === "permission_request" && request.preview !== undefined)

const endingOf = (event: PermissionDecisionEvent | QuestionAnswerEvent, { conversation, state }: Entry): Ending => ({
  line: endLine(event, conversation.channel, state._tag === "Answered" && state.isOutline === true),
  person: event.by === "caller" ? event.person : undefined,
  // A press is accepted only in the chat of its request.
  isSeen: event.by === "caller" && event.person !== undefined && event.where === conversation.channel
})

const denied = ({ session, asked: { type, requestId } }: Entry): Effect.Effect<boolean, AgentError> =>
  type === "question"
    ? session.answer(requestId, undefined)
    : session.decide(requestId, { decision: "deny", message: words.late })

const makeAsking = ({ entries, board, deadlineMs, fork }: AskingOptions) => {
  /** The first ending counts. */
  const end = (entry: Entry, ending: Ending) => {
    if (entry.ending !== undefined) return
    entry.ending = ending
    entry.state = ending.person === undefined ? { _tag: "Over" } : { _tag: "Answered", by: ending.person }
    entry.stopWaiting()
    entries.end(entry)
    fork(board.refresh(entry))
  }

  /** The session may have an earlier deadline of its own. */
  const expiring = (entry: Entry) =>
    Effect.gen(function* () {
      yield* Effect.sleep(deadlineMs)
      if (entry.state._tag !== "Open") return
      entry.state = { _tag: "Over" }
      const isDenied = yield* denied(entry)
      // Otherwise it was decided elsewhere, as its event says.
      if (isDenied)
        end(entry, {
          line: entry.asked.type === "question" ? words.unanswered : words.denied,
          person: undefined,
          isSeen: false
        })
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
        if (entry !== undefined) end(entry, endingOf(event, entry))
      }),
    ended: (session: Deciding) =>
      Effect.sync(() => {
        for (const entry of entries.ofSession(session))
          end(entry, { line: words.ended, person: undefined, isSeen: false })
      })
  }
}
