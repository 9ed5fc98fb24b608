/** Drives a session for a person: performs the actions that were typed, and shows their outcome as notes. */
import { resolve } from "node:path"
import { Deferred, Effect, FiberSet, Option, Queue, Stream } from "effect"
import type { AgentError } from "../../contract/AgentError.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { type Ending, endingOf } from "../exit.ts"
import { write } from "../show.ts"
import type { Action } from "./actions.ts"
import type { ChatMode, ChatModeContext } from "./chatMode.ts"
import type { ChatInput, drawChat } from "./draw.ts"

const deliveries = {
  started: undefined,
  steered: "the agent takes it up at its next step",
  queued: "begins when this turn is over"
} as const

interface ActionContext {
  readonly session: AgentSession
  readonly note: (text: string) => Effect.Effect<void>
  /** A text was not sent. */
  readonly unsent: Effect.Effect<void>
  readonly leave: Effect.Effect<void>
}

const late = "too late: it was no longer asked"

/** As any file of a command line, relative to where the program was started. */
const attachedTo = ({ files = [] }: Extract<Action, { _tag: "Send" }>) => ({
  attachments: files.map((file) => ({ path: resolve(file) }))
})

const performAction = ({ session, note, unsent, leave }: ActionContext, action: Action): Effect.Effect<void> => {
  const withNote = <A>(
    effect: Effect.Effect<A, AgentError>,
    noteOf: (value: A) => string | undefined,
    afterFailure = Effect.void
  ) =>
    Effect.matchEffect(effect, {
      onFailure: ({ reason }) => Effect.andThen(note(reason.message), afterFailure),
      onSuccess: (value) => {
        const text = noteOf(value)
        return text === undefined ? Effect.void : note(text)
      }
    })
  switch (action._tag) {
    case "Send":
      return withNote(session.send(action.text, attachedTo(action)), (delivery) => deliveries[delivery], unsent)
    case "Decide":
      return withNote(session.decide(action.requestId, action.answer), (isTaken) => (isTaken ? undefined : late))
    case "Answer":
      return withNote(session.answer(action.requestId, action.answers), (isTaken) => (isTaken ? undefined : late))
    case "Interrupt":
      return Effect.asVoid(session.interrupt)
    case "Model":
      return withNote(session.setModel(action.model), () => `model: ${action.model}`)
    case "Mode":
      return withNote(
        session.setPermissionMode(action.permissionMode),
        () => `permission mode: ${action.permissionMode}`
      )
    case "Leave":
      return leave
    case "Stop":
      // The same as Ctrl-C on a terminal that turns it into a signal.
      return Effect.sync(() => process.kill(process.pid, "SIGINT"))
  }
}

export interface PersonDriverOptions {
  readonly session: AgentSession
  readonly context: ChatModeContext
  /** Keys or lines of the person. */
  readonly typed: Stream.Stream<ChatInput>
  readonly draw: typeof drawChat
}

/** Events and typed input in, a screen out. Ends when the person leaves, or with the session. */
export const makePersonDriver = Effect.fnUntraced(function* ({ session, context, typed, draw }: PersonDriverOptions) {
  const { agent, firstPrompt } = context
  const left = yield* Deferred.make<void>()
  const own = yield* Queue.make<ChatInput>()
  const tasks = yield* FiberSet.make<void>()
  const begin = FiberSet.run(tasks, { startImmediately: true })
  const note = (text: string) => Effect.asVoid(Queue.offer(own, { _tag: "Message", message: { _tag: "Note", text } }))
  // What it was to start is not waited for; what runs already is.
  const unsent = Effect.andThen(session.idle, Effect.asVoid(Queue.offer(own, { _tag: "Rest" })))
  const leave = Effect.asVoid(Deferred.succeed(left, undefined))
  if (Option.isSome(firstPrompt)) yield* Queue.offer(own, { _tag: "Submit", text: firstPrompt.value })
  const inputs = Stream.merge(typed, Stream.fromQueue(own))
  return {
    drive: Deferred.await(left),
    show: Effect.fnUntraced(function* (events) {
      let ending: Ending = "aborted"
      const observed = Stream.map(events, (event): ChatInput => {
        if (event.type === "done") ending = endingOf(event.result)
        return { _tag: "Event", event }
      })
      const perform = (action: Action) => Effect.asVoid(begin(performAction({ session, note, unsent, leave }, action)))
      const isWritten = yield* write(Stream.unwrap(draw(observed, inputs, { agent, perform })))
      return isWritten ? ending : "failed"
    })
  } satisfies Effect.Success<ReturnType<ReturnType<ChatMode>["makeDriver"]>>
})
