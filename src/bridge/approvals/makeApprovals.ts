/** Requests and questions of agents, asked in their conversations: from the events of live sessions to the answers of people. */
import { Effect, FiberSet, type Scope } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { ChannelMessage, Sender } from "../messages/ChannelMessage.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { Pressed } from "../messages/Incoming.ts"
import { makeAnswering } from "./answering.ts"
import { makeAsking } from "./asking.ts"
import { makeBoard, type RequestRows, type Surface } from "./board.ts"
import { type Deciding, makeEntries } from "./entry.ts"

export interface ApprovalsOptions {
  readonly rows: RequestRows
  readonly surface: Surface
  readonly acknowledge: (press: Pressed, text?: string) => Effect.Effect<void>
  /** Whether they are an approver there. */
  readonly mayAnswer: (conversation: Conversation, sender: Sender) => boolean
}

export interface Approvals {
  /** An event of a live session: asks, and shows what came of it. Does not wait for the channel. */
  readonly event: (
    conversation: Conversation,
    turnId: string,
    session: Deciding,
    event: AgentEvent
  ) => Effect.Effect<void>
  /** False for the button of something else, which is not acknowledged. */
  readonly press: (pressed: Pressed) => Effect.Effect<boolean>
  /** True if the message was an answer. Commands come before it. */
  readonly text: (message: ChannelMessage) => Effect.Effect<boolean>
  /** The same event, its request by the id that presses name. */
  readonly named: (session: Deciding, event: AgentEvent) => AgentEvent
  /** Nothing of the session is left. */
  readonly ended: (session: Deciding) => Effect.Effect<void>
  /** Ends what a host before this one had asked. To be run before anything is asked. */
  readonly afterRestart: Effect.Effect<void>
}

const aboutRequests = ["permission_request", "permission_decision", "question", "question_answer"] as const

const isAboutRequest = (
  event: AgentEvent
): event is Extract<AgentEvent, { readonly type: (typeof aboutRequests)[number] }> =>
  aboutRequests.some((type) => type === event.type)

export const makeApprovals = Effect.fnUntraced(function* (
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
  const { deadlineMs } = surface
  const { event, ended } = makeAsking({ entries, board, deadlineMs, fork })
  const { press, text } = makeAnswering({ entries, rows, board, look: surface, acknowledge, mayAnswer, fork })
  const named = (session: Deciding, input: AgentEvent): AgentEvent =>
    isAboutRequest(input) ? { ...input, requestId: entries.idOf(session, input.requestId) } : input
  return { event, ended, press, text, named, afterRestart: board.afterRestart }
})
