/** `reins chat` at a terminal: keys and events in, wishes and a screen out. The terminal is given back as it was. */
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Console, Deferred, Duration, Effect, FiberSet, Option, Queue, Stream, type Terminal } from "effect"
import type { AgentError } from "../../AgentError.ts"
import type { AgentSession } from "../../AgentSession.ts"
import * as Approvals from "../../Approvals.ts"
import { type Ending, endingOf } from "../exit.ts"
import { printNow } from "../output.ts"
import { planRule } from "../planMode.ts"
import { sequence } from "../sequences.ts"
import { show, write } from "../show.ts"
import { type ChatInput, drawChat } from "./draw.ts"
import type { Key } from "./editor.ts"
import type { Wish } from "./local.ts"
import type { Given } from "./panel.ts"
import type { Way, WayContext } from "./way.ts"

const pastes = { on: sequence("\x1b[?2004h"), off: sequence("\x1b[?2004l") }

const writeNow = (text: string) => () => printNow("stdout", text)

/** The terminal tells where a paste begins and ends, until the scope closes or the process ends in whatever way. */
const bracketedPaste = Effect.acquireRelease(
  Effect.sync(() => {
    const restore = writeNow(pastes.off)
    process.on("exit", restore)
    writeNow(pastes.on)()
    return restore
  }),
  (restore) =>
    Effect.sync(() => {
      process.off("exit", restore)
      restore()
    })
)

const keyOf = ({ input, key }: Terminal.UserInput): Key => ({
  text: Option.getOrUndefined(input),
  name: key.name,
  ctrl: key.ctrl,
  meta: key.meta
})

/** Every key is an input, Ctrl-C and Escape, too. At the end of them the person is gone. */
const keys = Effect.gen(function* () {
  yield* bracketedPaste
  const terminal = yield* NodeTerminal.make(() => false)
  const queue = yield* terminal.readInput
  const pressed = Stream.map(Stream.fromQueue(queue), (input): ChatInput => ({ _tag: "Key", key: keyOf(input) }))
  return Stream.concat(pressed, Stream.make<[ChatInput]>({ _tag: "Gone" }))
})

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

const makeTalk = Effect.fnUntraced(function* (session: AgentSession, { agent, first }: WayContext) {
  const left = yield* Deferred.make<void>()
  const said = yield* Queue.make<ChatInput>()
  const tasks = yield* FiberSet.make<void>()
  const begin = FiberSet.run(tasks, { startImmediately: true })
  const note = (text: string) => Effect.asVoid(Queue.offer(said, { _tag: "Said", said: { _tag: "Note", text } }))
  const leave = Effect.asVoid(Deferred.succeed(left, undefined))
  const typed = yield* keys
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
      const isWritten = yield* write(Stream.unwrap(drawChat(heard, inputs, { agent, perform: perform_ })))
      return isWritten ? ending : "failed"
    })
  } satisfies Effect.Success<ReturnType<ReturnType<Way>["talk"]>>
})

const deadline = Duration.infinity

export const chatTerminal: Way = (context) => ({
  asking: {
    approvals: [planRule(context.planMode, { deadline }), Approvals.ask(undefined, { deadline })],
    questions: { deadline }
  },
  opening: Console.log(`Starting ${context.agent}; /help tells what can be done here.\n`),
  talk: (session) => makeTalk(session, context),
  showFailure: (events) => show(events, { agent: context.agent, isStopping: context.isStopping, json: false }),
  end: Effect.succeed(true)
})
