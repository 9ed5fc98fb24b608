/** Events, keys and what the program says → the text of a screen. What shall be done is handed on as it comes up. */
import { Effect, Stream, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { monotonicMillis } from "../../clock/stopwatch.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { begin, paragraph, type Transcript } from "../blocks.ts"
import { draw } from "../transcript.ts"
import type { Key } from "./editor.ts"
import { type FooterScene, saidLines, withFooter } from "./footer.ts"
import { answered } from "./lineAnswers.ts"
import type { Said, Wish } from "./local.ts"
import type { Given } from "./panel.ts"
import { compose, emptyScreen, type Footer, type Screen } from "./screen.ts"
import { type Chat, emptyChat, heard, pressed, type Step, submitted } from "./state.ts"

export type ChatInput =
  | { readonly _tag: "Event"; readonly event: AgentEvent }
  | { readonly _tag: "Key"; readonly key: Key }
  /** Of a terminal that tells no keys, and shows itself what is typed. */
  | { readonly _tag: "Line"; readonly text: string }
  | { readonly _tag: "Said"; readonly said: Said }
  | { readonly _tag: "Submit"; readonly text: string }
  | { readonly _tag: "Tick" }
  /** No key comes any more. */
  | { readonly _tag: "Gone" }

export interface ChatScene {
  readonly chat: Chat
  readonly transcript: Transcript
}

const gone = (chat: Chat): Step => ({ chat: { ...chat, isLeaving: true }, wish: { _tag: "Leave" } })

const stepOf = (chat: Chat, input: ChatInput, now: number): Step => {
  switch (input._tag) {
    case "Event":
      return { chat: heard(chat, input.event, now) }
    case "Key":
      return pressed(chat, input.key, now)
    case "Line": {
      const { said, ...step } = answered(chat, input.text, now)
      return said === undefined || said._tag === "Prompt" ? step : { ...step, said }
    }
    case "Said":
      return { chat, said: input.said }
    case "Submit":
      return submitted(chat, input.text)
    case "Tick":
      return { chat }
    case "Gone":
      return gone(chat)
  }
}

/** How the session can be gone on with. */
const afterwards = ({ agent, turns }: Transcript, event: AgentEvent): Said | undefined => {
  if (event.type !== "done" || event.result.sessionId === undefined || turns === 0) return undefined
  return { _tag: "Note", text: `go on with it: reins chat --agent ${agent} --resume ${event.result.sessionId}` }
}

export interface Advanced extends ChatScene {
  /** For the transcript. */
  readonly text: string
  readonly wishes: ReadonlyArray<Wish | Given>
}

/** One input after the other; pure. */
export const advance = (before: ChatScene, inputs: ReadonlyArray<ChatInput>, scene: FooterScene): Advanced => {
  let { chat, transcript } = before
  let text = ""
  const wishes: Array<Wish | Given> = []
  for (const input of inputs) {
    const step = stepOf(chat, input, scene.now)
    chat = step.chat
    if (step.wish !== undefined) wishes.push(step.wish)
    if (input._tag === "Event") {
      const [next, drawn] = draw(transcript, input.event, scene)
      transcript = next
      text += drawn
    }
    const said = input._tag === "Event" ? afterwards(transcript, input.event) : step.said
    if (said !== undefined) {
      const [next, drawn] = paragraph({ ...transcript, lastEventAt: scene.now }, saidLines(scene.surface, said))
      transcript = next
      text += drawn
    }
  }
  return { chat, transcript, text, wishes }
}

const isSame = (one: Footer | undefined, other: Footer | undefined) => JSON.stringify(one) === JSON.stringify(other)

interface Drawn extends ChatScene {
  readonly screen: Screen
  readonly footer: Footer | undefined
  readonly columns: number
}

const frameMs = 100

export interface DrawChatOptions {
  /** Who is at work, for people. */
  readonly agent: string
  readonly perform: (wish: Wish | Given) => Effect.Effect<void>
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
        const { transcript, text, wishes, ...next } = advance(before, arrived, scene)
        yield* Effect.forEach(wishes, perform, { discard: true })
        const { chat, footer } = withFooter(next.chat, transcript, scene)
        if (text === "" && isSame(footer, before.footer)) return [{ ...before, chat, transcript }, []] as const
        const [screen, written] = compose(before.screen, text, footer, columns)
        return [{ chat, transcript, screen, footer, columns }, [written]] as const
      }),
    { onHalt: ({ screen, columns }) => [compose(screen, "", undefined, columns)[1]].filter((text) => text !== "") }
  )
})
