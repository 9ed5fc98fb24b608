/** `reins chat` at a terminal: keys in, a screen out. The terminal is restored at any end, and before it is given to the shell. */
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Console, Duration, Effect, Option, Stream, type Terminal } from "effect"
import * as Approvals from "../../agents/Approvals.ts"
import { printNow } from "../output.ts"
import { planRule } from "../planMode.ts"
import { alternate, sequence } from "../sequences.ts"
import { show } from "../show.ts"
import type { ChatInput } from "./draw.ts"
import { drawChat } from "./drawChat.ts"
import type { Key } from "./editor.ts"
import { makePersonDriver } from "./personDriver.ts"
import type { ChatMode, ChatModeContext } from "./runSession.ts"

export interface RawKey extends Key {
  readonly shift: boolean
  readonly sequence: string
}

/** The start of a sequence that Node's parser has cut off. */
export type Pending = string | undefined
const modified = "\x1b[27;"
const longest = 8
const newLine: Key = { text: undefined, name: "return", ctrl: false, meta: true }

const keyOf = ({ text, name, ctrl, meta, shift }: RawKey): Key => ({
  text,
  name: shift && name === "tab" ? "shift-tab" : name,
  ctrl,
  meta
})

/**
 * Keys as Node's parser gives them → keys of the editor; pure. It has no name for Shift-Enter: kitty's `ESC[13;2u` is one
 * nameless key, xterm's `ESC[27;2;13~` a nameless key and three characters.
 */
export const readKey = (pending: Pending, raw: RawKey): readonly [Pending, ReadonlyArray<Key>] => {
  if (pending !== undefined && raw.sequence.length === 1) {
    const all = pending + raw.sequence
    if (/[\d;]$/.test(all) && all.length < longest + modified.length) return [all, []]
    return [undefined, /^\x1b\[27;\d;13~$/.test(all) ? [newLine] : []]
  }
  if (/^\x1b\[13;\d+u$/.test(raw.sequence)) return [undefined, [newLine]]
  if (raw.sequence.startsWith(modified) && /;$/.test(raw.sequence)) return [raw.sequence, []]
  return [undefined, [keyOf(raw)]]
}

const pastes = { on: sequence("\x1b[?2004h"), off: sequence("\x1b[?2004l") }

interface Modes {
  isAlternate: boolean
  readonly restore: () => void
}

/** Makes the terminal mark pastes, until the scope closes or the process ends in any way. */
const terminalModes = Effect.acquireRelease(
  Effect.sync(() => {
    const modes: Modes = {
      isAlternate: false,
      restore: () => printNow("stdout", (modes.isAlternate ? alternate.off : "") + pastes.off)
    }
    process.on("exit", modes.restore)
    printNow("stdout", pastes.on)
    return modes
  }),
  (modes) =>
    Effect.sync(() => {
      process.off("exit", modes.restore)
      modes.restore()
    })
)

const rawKeyOf = ({ input, key }: Terminal.UserInput, sequence: string): RawKey => ({
  text: Option.getOrUndefined(input),
  ...key,
  sequence
})

/** Key sequences that Node's parser does not pass on, in order. */
const sequencesOf = Effect.gen(function* () {
  const sequences: Array<string> = []
  const onKey = (_: unknown, key: { readonly sequence?: string }) => sequences.push(key.sequence ?? "")
  yield* Effect.acquireRelease(
    Effect.sync(() => process.stdin.on("keypress", onKey)),
    () => Effect.sync(() => process.stdin.off("keypress", onKey))
  )
  return sequences
})

/** Every key is an input, including Ctrl-C and Escape. */
const keys = Effect.gen(function* () {
  const sequences = yield* sequencesOf
  const terminal = yield* NodeTerminal.make(() => false)
  const queue = yield* terminal.readInput
  const pressed = Stream.mapAccum(
    Stream.fromQueue(queue),
    (): string | undefined => undefined,
    (pending, input) => {
      const [next, read] = readKey(pending, rawKeyOf(input, sequences.shift() ?? ""))
      return [next, read.map((key): ChatInput => ({ _tag: "Key", key }))] as const
    }
  )
  return Stream.concat(pressed, Stream.make<[ChatInput]>({ _tag: "Gone" }))
})

/** Stops the program until the shell continues it. */
const suspendWith = ({ restore }: Modes): Effect.Effect<void> =>
  process.platform === "win32"
    ? Effect.void
    : Effect.callback((resume) => {
        const goOn = () => {
          process.stdin.setRawMode(true)
          printNow("stdout", pastes.on)
          resume(Effect.void)
        }
        restore()
        process.stdin.setRawMode(false)
        process.once("SIGCONT", goOn)
        // As a terminal does, stops the whole job, such as a script that started the program.
        process.kill(0, "SIGTSTP")
        return Effect.sync(() => process.off("SIGCONT", goOn))
      })

const deadline = Duration.infinity

export const askPerson: (context: ChatModeContext) => ReturnType<ChatMode>["answering"] = ({ planMode }) => ({
  approvals: [planRule(planMode, { deadline }), Approvals.ask(undefined, { deadline })],
  questions: { deadline }
})

export const chatTerminal: ChatMode = (context) => ({
  answering: askPerson(context),
  announce: Console.log(`Starting ${context.agent}; /help shows the commands.\n`),
  makeDriver: (session) =>
    Effect.gen(function* () {
      const modes = yield* terminalModes
      const onAlternate = (isOn: boolean) => {
        modes.isAlternate = isOn
      }
      const draw: typeof drawChat = (events, inputs, options) => drawChat(events, inputs, { ...options, onAlternate })
      return yield* makePersonDriver({ session, context, typed: yield* keys, draw, suspend: suspendWith(modes) })
    }),
  showFailure: (events) =>
    show(events, { agent: context.agent, isStopping: context.isStopping, form: "transcript", command: "chat" }),
  finish: Effect.succeed(true)
})
