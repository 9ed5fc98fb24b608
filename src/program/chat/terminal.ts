/** `reins chat` at a terminal: keys in, a screen out. The terminal is given back as it was. */
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Console, Duration, Effect, Option, Stream, type Terminal } from "effect"
import * as Approvals from "../../Approvals.ts"
import { printNow } from "../output.ts"
import { planRule } from "../planMode.ts"
import { sequence } from "../sequences.ts"
import { show } from "../show.ts"
import { type ChatInput, drawChat } from "./draw.ts"
import type { Key } from "./editor.ts"
import { makeTalk } from "./talk.ts"
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

const deadline = Duration.infinity

/** A person is asked, for as long as it takes. */
export const askingPerson: (context: WayContext) => ReturnType<Way>["asking"] = ({ planMode }) => ({
  approvals: [planRule(planMode, { deadline }), Approvals.ask(undefined, { deadline })],
  questions: { deadline }
})

export const chatTerminal: Way = (context) => ({
  asking: askingPerson(context),
  opening: Console.log(`Starting ${context.agent}; /help tells what can be done here.\n`),
  talk: (session) => Effect.flatMap(keys, (typed) => makeTalk({ session, context, typed, draw: drawChat })),
  showFailure: (events) => show(events, { agent: context.agent, isStopping: context.isStopping, json: false }),
  end: Effect.succeed(true)
})
