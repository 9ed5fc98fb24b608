/** The screen of a chat: the transcript with its footer, or a view on the alternate screen. Actions are performed as they come up. */
import { Effect, Stream, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { monotonicMillis } from "../../system/hostClock.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import { begin } from "../blocks.ts"
import type { Action } from "./actions.ts"
import { advance, type ChatInput } from "./draw.ts"
import { type Drawn, emptyDrawn, frame, lastFrame } from "./frame.ts"
import { clipboardText, inOnePiece } from "./terminalText.ts"

const frameMs = 100

export interface DrawChatOptions {
  /** The agent's name, for people. */
  readonly agent: string
  readonly perform: (action: Action) => Effect.Effect<void>
  /** Told before the alternate screen is entered and after it is left. */
  readonly onAlternate?: (isOn: boolean) => void
}

/** Ends with the events. */
export const drawChat = Effect.fnUntraced(function* <R>(
  events: Stream.Stream<ChatInput, never, R>,
  inputs: Stream.Stream<ChatInput>,
  { agent, perform, onAlternate = () => {} }: DrawChatOptions
) {
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const terminal = yield* Terminal.Terminal
  const { HOME: home = "" } = yield* HostEnvironment
  const startedAt = yield* monotonicMillis
  const ticks = Stream.map(Stream.tick(frameMs), (): ChatInput => ({ _tag: "Tick" }))
  return Stream.mapAccumArrayEffect(
    Stream.merge(events, Stream.merge(inputs, ticks), { haltStrategy: "left" }),
    (): Drawn => emptyDrawn(begin(agent, startedAt)),
    (before, arrived) =>
      Effect.gen(function* () {
        const now = yield* monotonicMillis
        // Asked each time: a window can be resized.
        const columns = (yield* terminal.columns) || 80
        const rows = (yield* terminal.rows) || 24
        const scene = { surface: { live: true, color: canColor, columns }, rows, now, home }
        const advanced = advance(before, arrived, scene)
        const [next, written] = frame(before, advanced, scene)
        if (next.isAlternate !== before.isAlternate) onAlternate(next.isAlternate)
        yield* Effect.forEach(advanced.actions, perform, { discard: true })
        const all = clipboardText(advanced.actions) + written
        return [next, all === "" ? [] : [inOnePiece(all)]] as const
      }),
    { onHalt: (drawn) => [lastFrame(drawn)].filter((text) => text !== "") }
  )
})
