/** Events, keys and messages of the program → the text of a screen. Actions are performed as they come up. */
import { Effect, Stream, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { monotonicMillis } from "../../clock/hostClock.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { begin, paragraph, type Transcript } from "../blocks.ts"
import { draw } from "../transcript.ts"
import type { Action, Message } from "./actions.ts"
import type { Key } from "./editor.ts"
import { type FooterScene, messageLines, withFooter } from "./footer.ts"
import { onLine } from "./lineAnswers.ts"
import { compose, emptyScreen, type Footer, type Screen } from "./screen.ts"
import { type Chat, emptyChat, leave, onEvent, onKey, type Step, submit } from "./state.ts"

export type ChatInput =
  | { readonly _tag: "Event"; readonly event: AgentEvent }
  | { readonly _tag: "Key"; readonly key: Key }
  /** From a terminal that reports no keys and echoes what is typed. */
  | { readonly _tag: "Line"; readonly text: string }
  | { readonly _tag: "Message"; readonly message: Message }
  | { readonly _tag: "Submit"; readonly text: string }
  /** No turn is under way. */
  | { readonly _tag: "Rest" }
  | { readonly _tag: "Tick" }
  /** The input has ended. */
  | { readonly _tag: "Gone" }

export interface ChatScene {
  readonly chat: Chat
  readonly transcript: Transcript
}

const stepOf = (chat: Chat, input: ChatInput, now: number): Step => {
  switch (input._tag) {
    case "Event":
      return { chat: onEvent(chat, input.event, now) }
    case "Key":
      return onKey(chat, input.key, now)
    case "Line": {
      const { message, ...step } = onLine(chat, input.text, now)
      return message === undefined || message._tag === "Prompt" ? step : { ...step, message }
    }
    case "Message":
      return { chat, message: input.message }
    case "Submit":
      return submit(chat, input.text)
    case "Rest":
      return { chat: { ...chat, isBusy: false, isInterrupted: false } }
    case "Tick":
      return { chat }
    case "Gone":
      return leave(chat)
  }
}

/** How to continue the session. */
const resumeNote = ({ agent, turns }: Transcript, event: AgentEvent): Message | undefined => {
  if (event.type !== "done" || event.result.sessionId === undefined || turns === 0) return undefined
  return { _tag: "Note", text: `continue it with: reins chat --agent ${agent} --resume ${event.result.sessionId}` }
}

export interface Advanced extends ChatScene {
  /** To append to the transcript. */
  readonly text: string
  readonly actions: ReadonlyArray<Action>
}

/** Applies inputs in order; pure. */
export const advance = (before: ChatScene, inputs: ReadonlyArray<ChatInput>, scene: FooterScene): Advanced => {
  let { chat, transcript } = before
  let text = ""
  const actions: Array<Action> = []
  for (const input of inputs) {
    const step = stepOf(chat, input, scene.now)
    chat = step.chat
    if (step.action !== undefined) actions.push(step.action)
    if (input._tag === "Event") {
      const [next, drawn] = draw(transcript, input.event, scene)
      transcript = next
      text += drawn
    }
    const message = input._tag === "Event" ? resumeNote(transcript, input.event) : step.message
    if (message !== undefined) {
      const [next, drawn] = paragraph({ ...transcript, lastEventAt: scene.now }, messageLines(scene.surface, message))
      transcript = next
      text += drawn
    }
  }
  return { chat, transcript, text, actions }
}

const isSame = (one: Footer | undefined, other: Footer | undefined) => JSON.stringify(one) === JSON.stringify(other)

interface Drawn extends ChatScene {
  readonly screen: Screen
  readonly footer: Footer | undefined
  readonly columns: number
}

const frameMs = 100

export interface DrawChatOptions {
  /** The agent's name, for people. */
  readonly agent: string
  readonly perform: (action: Action) => Effect.Effect<void>
}

/** Ends with the events. */
export const drawChat = Effect.fnUntraced(function* <R>(
  events: Stream.Stream<ChatInput, never, R>,
  inputs: Stream.Stream<ChatInput>,
  { agent, perform }: DrawChatOptions
) {
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const terminal = yield* Terminal.Terminal
  const startedAt = yield* monotonicMillis
  const ticks = Stream.map(Stream.tick(frameMs), (): ChatInput => ({ _tag: "Tick" }))
  return Stream.mapAccumArrayEffect(
    Stream.merge(events, Stream.merge(inputs, ticks), { haltStrategy: "left" }),
    (): Drawn => ({
      chat: emptyChat,
      transcript: begin(agent, startedAt),
      screen: emptyScreen,
      footer: undefined,
      columns: 80
    }),
    (before, arrived) =>
      Effect.gen(function* () {
        const now = yield* monotonicMillis
        // Asked each time: a window can be resized.
        const columns = (yield* terminal.columns) || 80
        const rows = (yield* terminal.rows) || 24
        const scene = { surface: { live: canColor, columns }, rows, now }
        const { transcript, text, actions, ...next } = advance(before, arrived, scene)
        yield* Effect.forEach(actions, perform, { discard: true })
        const { chat, footer } = withFooter(next.chat, transcript, scene)
        if (text === "" && isSame(footer, before.footer)) return [{ ...before, chat, transcript }, []] as const
        const [screen, written] = compose(before.screen, text, footer, columns)
        return [{ chat, transcript, screen, footer, columns }, [written]] as const
      }),
    { onHalt: ({ screen, columns }) => [compose(screen, "", undefined, columns)[1]].filter((text) => text !== "") }
  )
})
