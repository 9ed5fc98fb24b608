/** `reins chat` at a terminal: keys in, a screen out. The terminal is restored at the end. */
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Console, Duration, Effect, Option, Stream, type Terminal } from "effect"
import * as Approvals from "../../Approvals.ts"
import { printNow } from "../output.ts"
import { planRule } from "../planMode.ts"
import { sequence } from "../sequences.ts"
import { show } from "../show.ts"
import type { ChatMode, ChatModeContext } from "./chatMode.ts"
import { type ChatInput, drawChat } from "./draw.ts"
import type { Key } from "./editor.ts"
import { makePersonDriver } from "./personDriver.ts"

const pastes = { on: sequence("\x1b[?2004h"), off: sequence("\x1b[?2004l") }

const writeNow = (text: string) => () => printNow("stdout", text)

/** Makes the terminal mark the start and end of a paste, until the scope closes or the process ends in any way. */
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

/** Every key is an input, including Ctrl-C and Escape. */
const keys = Effect.gen(function* () {
  yield* bracketedPaste
  const terminal = yield* NodeTerminal.make(() => false)
  const queue = yield* terminal.readInput
  const pressed = Stream.map(Stream.fromQueue(queue), (input): ChatInput => ({ _tag: "Key", key: keyOf(input) }))
  return Stream.concat(pressed, Stream.make<[ChatInput]>({ _tag: "Gone" }))
})

const deadline = Duration.infinity

/** Asks the person, without a deadline. */
export const askPerson: (context: ChatModeContext) => ReturnType<ChatMode>["answering"] = ({ planMode }) => ({
  approvals: [planRule(planMode, { deadline }), Approvals.ask(undefined, { deadline })],
  questions: { deadline }
})

export const chatTerminal: ChatMode = (context) => ({
  answering: askPerson(context),
  announce: Console.log(`Starting ${context.agent}; /help shows the commands.\n`),
  makeDriver: (session) =>
    Effect.flatMap(keys, (typed) => makePersonDriver({ session, context, typed, draw: drawChat })),
  showFailure: (events) =>
    show(events, { agent: context.agent, isStopping: context.isStopping, form: "transcript", command: "chat" }),
  finish: Effect.succeed(true)
})
