/** Drives a session for a person: performs the actions that were typed, and shows their outcome as notes. */
import { resolve } from "node:path"
import { Deferred, Effect, FiberSet, Option, Queue, Stream } from "effect"
import type { AgentError } from "../../contract/AgentError.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { untraced } from "../../contract/untraced.ts"
import { type Ending, endingOf } from "../exit.ts"
import { write } from "../show.ts"
import type { Action } from "./actions.ts"
import type { ChatInput } from "./draw.ts"
import type { drawChat } from "./drawChat.ts"
import type { ChatMode, ChatModeContext } from "./runSession.ts"
import { type Facts, nearest } from "./statusRow.ts"

interface ActionContext {
  readonly session: AgentSession
  readonly own: (input: ChatInput) => Effect.Effect<void>
  readonly unsent: Effect.Effect<void>
  readonly leave: Effect.Effect<void>
  readonly models: Effect.Effect<ReadonlyArray<string>>
  readonly suspend: Effect.Effect<void>
  readonly changes: ChatModeContext["changes"]
}

const late = "too late: it was no longer asked"

/** Relative to where the program was started, as any file of a command line. */
const attachedTo = ({ files = [] }: Extract<Action, { _tag: "Send" }>) => ({
  attachments: files.map((file) => ({ path: resolve(file) }))
})

const performAction = (context: ActionContext, action: Action): Effect.Effect<void> => {
  const { session, own, unsent, leave, models, suspend } = context
  const note = (text: string) => own({ _tag: "Message", message: { _tag: "Note", text } })
  const facts = (known: Partial<Facts>) => own({ _tag: "Facts", facts: known })
  const withNote = <A>(effect: Effect.Effect<A, AgentError>, noteOf: (value: A) => string | undefined) =>
    Effect.matchEffect(effect, {
      onFailure: ({ reason }) => note(reason.message),
      onSuccess: (value) => {
        const text = noteOf(value)
        return text === undefined ? Effect.void : note(text)
      }
    })
  switch (action._tag) {
    case "Send": {
      const { text } = action
      return Effect.matchEffect(session.send(text, attachedTo(action)), {
        onFailure: ({ reason }) =>
          Effect.andThen(
            note(reason.message),
            Effect.andThen(own({ _tag: "Delivered", text, delivery: "failed" }), unsent)
          ),
        onSuccess: (delivery) => own({ _tag: "Delivered", text, delivery })
      })
    }
    case "Decide":
      return withNote(session.decide(action.requestId, action.answer), (isTaken) => (isTaken ? undefined : late))
    case "Answer":
      return withNote(session.answer(action.requestId, action.answers), (isTaken) => (isTaken ? undefined : late))
    case "Interrupt":
      return Effect.asVoid(session.interrupt)
    case "Model": {
      const { model } = action
      return withNote(Effect.tap(session.setModel(model), facts({ model })), () => `model: ${model}`)
    }
    case "Mode": {
      const { permissionMode: mode } = action
      return withNote(Effect.tap(session.setPermissionMode(mode), facts({ mode })), () => `permission mode: ${mode}`)
    }
    case "Changes":
      return context.changes === undefined
        ? note("this chat has no worktree: begin one with reins chat --worktree")
        : Effect.flatMap(context.changes(action.action, action.message), note)
    case "Models":
      return Effect.flatMap(models, (known) => own({ _tag: "Models", models: known }))
    case "Suspend":
      return Effect.andThen(suspend, own({ _tag: "Resumed" }))
    case "Tell":
    case "Copy":
    case "Show":
    case "Clipboard":
      // Done where the screen is drawn.
      return Effect.void
    case "Leave":
      return leave
    case "Stop":
      // As Ctrl-C on a terminal that turns it into a signal.
      return Effect.sync(() => process.kill(process.pid, "SIGINT"))
  }
}

export interface PersonDriverOptions {
  readonly session: AgentSession
  readonly context: ChatModeContext
  readonly typed: Stream.Stream<ChatInput>
  readonly draw: typeof drawChat
  /** Gives the terminal to the shell until the program continues; default: does nothing. */
  readonly suspend?: Effect.Effect<void>
}

/** Events and typed input in, a screen out. Ends when the person leaves, or with the session. */
export const makePersonDriver = Effect.fn(...untraced("PersonDriver.makePersonDriver"))(function* (
  options: PersonDriverOptions
) {
  const { session, context, typed, draw, suspend = Effect.void } = options
  const { agent, firstPrompt, permissionMode, models = Effect.succeed([]), budgets, changes } = context
  const left = yield* Deferred.make<void>()
  const queue = yield* Queue.make<ChatInput>()
  const own = (input: ChatInput) => Effect.asVoid(Queue.offer(queue, input))
  const tasks = yield* FiberSet.make<void>()
  const begin = FiberSet.run(tasks, { startImmediately: true })
  // Turns that it would start are not awaited; running ones are.
  const unsent = Effect.andThen(session.idle, own({ _tag: "Rest" }))
  const leave = Effect.asVoid(Deferred.succeed(left, undefined))
  if (permissionMode !== undefined) yield* own({ _tag: "Facts", facts: { mode: permissionMode } })
  if (Option.isSome(firstPrompt)) yield* own({ _tag: "Submit", text: firstPrompt.value })
  const inputs = Stream.merge(typed, Stream.fromQueue(queue))
  const standing =
    budgets === undefined
      ? Effect.void
      : Effect.flatMap(budgets, (states) => own({ _tag: "Facts", facts: { budget: nearest(states) } }))
  const all = { session, own, unsent, leave, models, suspend, changes }
  return {
    drive: Deferred.await(left),
    show: Effect.fn(...untraced("PersonDriver.show"))(function* (events) {
      let ending: Ending = "aborted"
      yield* begin(standing)
      const observed = Stream.mapEffect(events, (event): Effect.Effect<ChatInput> => {
        if (event.type === "done") ending = endingOf(event.result)
        const input: ChatInput = { _tag: "Event", event }
        return event.type === "turn_done" ? Effect.as(begin(standing), input) : Effect.succeed(input)
      })
      const perform = (action: Action) => Effect.asVoid(begin(performAction(all, action)))
      const isWritten = yield* write(Stream.unwrap(draw(observed, inputs, { agent, perform })))
      return isWritten ? ending : "failed"
    })
  } satisfies Effect.Success<ReturnType<ReturnType<ChatMode>["makeDriver"]>>
})
