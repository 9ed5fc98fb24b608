/** A person's wishes, done to the session; what comes of them is told as a note. */
import { Deferred, Effect, FiberSet, Option, Queue, Stream } from "effect"
import type { AgentError } from "../../contract/AgentError.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { type Ending, endingOf } from "../exit.ts"
import { write } from "../show.ts"
import type { ChatInput, drawChat } from "./draw.ts"
import type { Wish } from "./local.ts"
import type { Given } from "./panel.ts"
import type { Way, WayContext } from "./way.ts"

const deliveries = {
  started: undefined,
  steered: "the agent takes it up at its next step",
  queued: "begins when this turn is over"
} as const

interface PerformContext {
  readonly session: AgentSession
  readonly note: (text: string) => Effect.Effect<void>
  readonly leave: Effect.Effect<void>
}

const late = "too late: it was no longer asked"

const perform = ({ session, note, leave }: PerformContext, wish: Wish | Given): Effect.Effect<void> => {
  const told = <A>(wished: Effect.Effect<A, AgentError>, text: (value: A) => string | undefined) =>
    Effect.matchEffect(wished, {
      onFailure: ({ reason }) => note(reason.message),
      onSuccess: (value) => {
        const said = text(value)
        return said === undefined ? Effect.void : note(said)
      }
    })
  switch (wish._tag) {
    case "Send":
      return told(session.send(wish.text), (delivery) => deliveries[delivery])
    case "Decide":
      return told(session.decide(wish.requestId, wish.answer), (isTaken) => (isTaken ? undefined : late))
    case "Answer":
      return told(session.answer(wish.requestId, wish.answers), (isTaken) => (isTaken ? undefined : late))
    case "Interrupt":
      return Effect.asVoid(session.interrupt)
    case "Model":
      return told(session.setModel(wish.model), () => `model: ${wish.model}`)
    case "Mode":
      return told(session.setPermissionMode(wish.permissionMode), () => `permission mode: ${wish.permissionMode}`)
    case "Leave":
      return leave
    case "Stop":
      // What a Ctrl-C does where the terminal makes a signal of it.
      return Effect.sync(() => process.kill(process.pid, "SIGINT"))
  }
}

export interface TalkOptions {
  readonly session: AgentSession
  readonly context: WayContext
  /** What the person does. */
  readonly typed: Stream.Stream<ChatInput>
  readonly draw: typeof drawChat
}

/** For a person: events and what is typed in, a screen out. Ends when the person leaves, or with the session. */
export const makeTalk = Effect.fnUntraced(function* ({ session, context, typed, draw }: TalkOptions) {
  const { agent, first } = context
  const left = yield* Deferred.make<void>()
  const said = yield* Queue.make<ChatInput>()
  const tasks = yield* FiberSet.make<void>()
  const begin = FiberSet.run(tasks, { startImmediately: true })
  const note = (text: string) => Effect.asVoid(Queue.offer(said, { _tag: "Said", said: { _tag: "Note", text } }))
  const leave = Effect.asVoid(Deferred.succeed(left, undefined))
  if (Option.isSome(first)) yield* Queue.offer(said, { _tag: "Submit", text: first.value })
  const inputs = Stream.merge(typed, Stream.fromQueue(said))
  return {
    drive: Deferred.await(left),
    show: Effect.fnUntraced(function* (events) {
      let ending: Ending = "aborted"
      const heard = Stream.map(events, (event): ChatInput => {
        if (event.type === "done") ending = endingOf(event.result)
        return { _tag: "Event", event }
      })
      const perform_ = (wish: Wish | Given) => Effect.asVoid(begin(perform({ session, note, leave }, wish)))
      const isWritten = yield* write(Stream.unwrap(draw(heard, inputs, { agent, perform: perform_ })))
      return isWritten ? ending : "failed"
    })
  } satisfies Effect.Success<ReturnType<ReturnType<Way>["talk"]>>
})
