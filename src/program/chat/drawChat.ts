/** The screen of a chat: the transcript with its footer, or a view on the alternate screen. Actions are performed at once. */
import { Effect, Stream, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { plural } from "../../contract/text/amounts.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { monotonicMillis } from "../../system/hostClock.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import { begin, type Transcript } from "../blocks.ts"
import { clip, oneLine } from "../format.ts"
import { alternate, atOnce, bell, sequence, wholeScreen } from "../sequences.ts"
import { marks, paint, type Surface } from "../style.ts"
import { wrap } from "../wrap.ts"
import type { Action } from "./actions.ts"
import { type Call, type Chat, emptyChat } from "./chatState.ts"
import { type Advanced, advance, type ChatInput, type ChatScene } from "./draw.ts"
import { type FooterScene, withFooter } from "./footer.ts"
import { viewed } from "./panel.ts"
import { requestHead, requestRows } from "./requestRows.ts"
import { compose, emptyScreen, type Footer, resized, type Screen } from "./screen.ts"
import type { View } from "./view.ts"

export interface ViewScene {
  readonly surface: Surface
  readonly rows: number
  readonly agent: string
}

const callRows = ({ output, left }: Call, width: number): ReadonlyArray<string> => {
  if (output === undefined) return ["  it has not ended yet"]
  const lines = harmless(output).replaceAll("\t", "  ").replace(/\n+$/, "").split("\n")
  const digits = String(lines.length).length
  const numbered = lines.flatMap((line, index) =>
    wrap(line, Math.max(2, width - digits - 2)).map(
      (row, part) => `${(part === 0 ? String(index + 1) : "").padStart(digits)}  ${row}`
    )
  )
  return left === 0 ? numbered : [`… ${plural(left, "character")} before this are not kept`, ...numbered]
}

const contentOf = (chat: Chat, { of }: View, agent: string, width: number) => {
  const { panel, calls } = chat
  if (of._tag === "Request") {
    if (panel?._tag !== "Keys") return undefined
    const rows = requestRows(panel.request, width)
    return { title: `${marks.ask} ${requestHead(agent, panel.request)}`, rows, keys: "q back · ↑↓ PgDn · / find" }
  }
  const call = calls[of.at]
  if (call === undefined) return undefined
  const state = call.output === undefined ? "" : `${call.isError ? marks.failed : marks.ok} `
  const title = `${state}${oneLine(call.title)} · call ${of.at + 1} of ${calls.length}`
  return { title, rows: callRows(call, width), keys: "q back · ↑↓ PgDn · ←→ other call · / find" }
}

/** Searches from the row of `seek` on, and wraps around. */
const sought = (view: View, rows: ReadonlyArray<string>): View => {
  const { seek, search } = view
  if (seek === undefined) return view
  const words = search.toLowerCase()
  const has = (row: string) => words !== "" && row.toLowerCase().includes(words)
  const next = rows.findIndex((row, index) => index >= seek && has(row))
  const found = next === -1 ? rows.findIndex(has) : next
  return { ...view, seek: undefined, top: found === -1 ? view.top : found }
}

const footRow = (view: View, keys: string) => {
  const { top, room, count, search, isTyping } = view
  if (isTyping) return `find: ${search}`
  const last = Math.min(count, top + room)
  const place = `rows ${Math.min(top + 1, count)}–${last} of ${count}${last >= count ? " · end" : ""}`
  return `${place} · ${keys}`
}

/** The frame of a view: a row of title, the text, a row of keys. No rows if its subject is gone. */
export const viewFrame = (chat: Chat, view: View, scene: ViewScene): readonly [Chat, ReadonlyArray<string>] => {
  const { surface, rows: screenRows, agent } = scene
  const width = Math.max(4, surface.columns - 1)
  const content = contentOf(chat, view, agent, width)
  if (content === undefined) return [{ ...chat, view: undefined }, []]
  const room = Math.max(1, screenRows - 2)
  const count = content.rows.length
  const aimed = sought(view, content.rows)
  const placed = { ...aimed, room, count, top: Math.max(0, Math.min(aimed.top, count - room)) }
  const { panel } = chat
  const isRequest = view.of._tag === "Request" && panel?._tag === "Keys"
  const next = isRequest ? viewed(panel, { layout: `${width}`, top: placed.top, room, count }) : panel
  const visible = content.rows.slice(placed.top, placed.top + room)
  const fill = Array.from({ length: room - visible.length }, () => "")
  const lines = [
    paint(surface, "bold", clip(content.title, width)),
    ...visible,
    ...fill,
    paint(surface, "dim", clip(footRow(placed, content.keys), width))
  ]
  return [{ ...chat, panel: next, view: placed }, lines]
}

export interface Drawn extends ChatScene {
  readonly screen: Screen
  readonly footer: Footer | undefined
  readonly columns: number
  readonly shown: string
  readonly isAlternate: boolean
  /** Text for the transcript, for when the alternate screen is left. */
  readonly held: string
  /** The open request, its start in ms, and whether the bell was rung for it. */
  readonly asked: { readonly id: string; readonly since: number; readonly isRung: boolean } | undefined
}

export const emptyDrawn = (transcript: Transcript): Drawn => ({
  chat: emptyChat,
  transcript,
  screen: emptyScreen,
  footer: undefined,
  columns: 80,
  shown: "",
  isAlternate: false,
  held: "",
  asked: undefined
})

const bellAfterMs = 10_000

const askedOf = ({ asked: pending }: Drawn, { chat }: ChatScene, now: number): readonly [Drawn["asked"], string] => {
  const id = chat.panel?.request.requestId
  if (id === undefined) return [undefined, ""]
  if (pending?.id !== id) return [{ id, since: now, isRung: false }, ""]
  if (pending.isRung || now - pending.since < bellAfterMs) return [pending, ""]
  return [{ ...pending, isRung: true }, bell]
}

const isSame = (one: Footer | undefined, other: Footer | undefined) => JSON.stringify(one) === JSON.stringify(other)
type Base = Omit<Drawn, "chat">

const onAlternate = (before: Drawn, base: Base, advanced: Advanced, scene: FooterScene): readonly [Drawn, string] => {
  const { chat, transcript, text } = advanced
  const { view } = chat
  if (view === undefined) return onMain(before, base, advanced, scene)
  const [next, lines] = viewFrame(chat, view, { ...scene, agent: transcript.agent })
  if (next.view === undefined) return onMain(before, base, { ...advanced, chat: next }, scene)
  const [screen, wiped] = before.isAlternate ? [base.screen, ""] : compose(base.screen, "", undefined, base.columns)
  const entered = before.isAlternate ? "" : wiped + alternate.on
  const visible = lines.join("\n")
  const isForced = !before.isAlternate || before.columns !== base.columns || chat.redraws !== before.chat.redraws
  const held = before.held + text
  const drawn = { ...base, chat: next, screen, footer: undefined, shown: visible, isAlternate: true, held }
  return [drawn, isForced || visible !== before.shown ? entered + wholeScreen(lines) : ""]
}

const onMain = (before: Drawn, base: Base, advanced: Advanced, scene: FooterScene): readonly [Drawn, string] => {
  const { chat, footer } = withFooter(advanced.chat, advanced.transcript, scene)
  const text = before.held + advanced.text
  const isForced = before.isAlternate || before.columns !== base.columns || chat.redraws !== before.chat.redraws
  if (!isForced && text === "" && isSame(footer, before.footer)) return [{ ...base, chat, footer }, ""]
  const [screen, printed] = compose(base.screen, text, footer, base.columns)
  const left = before.isAlternate ? alternate.off : ""
  return [{ ...base, chat, screen, footer, shown: "", isAlternate: false, held: "" }, left + printed]
}

/** After a stop the shell has written below; after a change of width the terminal has wrapped its rows. */
const screenFor = ({ screen, footer, columns, chat }: Drawn, advanced: ChatScene, now: number): Screen => {
  if (chat.suspension === "suspended" && advanced.chat.suspension === undefined) return emptyScreen
  return columns === now ? screen : resized(screen, footer, now)
}

export const frame = (before: Drawn, advanced: Advanced, scene: FooterScene): readonly [Drawn, string] => {
  const { columns } = scene.surface
  const [pending, rung] = askedOf(before, advanced, scene.now)
  const { chat, transcript } = advanced
  const base = { ...before, transcript, columns, asked: pending, screen: screenFor(before, advanced, columns) }
  const isView = chat.view !== undefined && chat.suspension === undefined
  const [next, printed] = (isView ? onAlternate : onMain)(before, base, advanced, scene)
  return [next, printed + rung]
}

/**
 * `OSC 52`, which a terminal may ignore. The pasted text equals the shown one: no control can end a shell's bracketed
 * paste.
 */
export const clipboardText = (actions: ReadonlyArray<Action>): string =>
  actions
    .flatMap((action) => (action._tag === "Clipboard" ? [Buffer.from(harmless(action.text)).toString("base64")] : []))
    .map((base64) => sequence(`\x1b]52;c;${base64}\x07`))
    .join("")

const lastFrame = ({ screen, held, columns, isAlternate }: Drawn): string =>
  (isAlternate ? alternate.off : "") + compose(screen, held, undefined, columns)[1]

const frameMs = 100

export interface DrawChatOptions {
  readonly agent: string
  readonly perform: (action: Action) => Effect.Effect<void>
  /** Called before the alternate screen is entered and after it is left. */
  readonly onAlternate?: (isOn: boolean) => void
}

export const drawChat = Effect.fn(...untraced("Program.drawChat"))(function* <R>(
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
        const columns = (yield* terminal.columns) || 80
        const rows = (yield* terminal.rows) || 24
        const scene = { surface: { live: true, color: canColor, columns }, rows, now, home }
        const advanced = advance(before, arrived, scene)
        const [next, printed] = frame(before, advanced, scene)
        if (next.isAlternate !== before.isAlternate) onAlternate(next.isAlternate)
        yield* Effect.forEach(advanced.actions, perform, { discard: true })
        const all = clipboardText(advanced.actions) + printed
        return [next, all === "" ? [] : [atOnce(all)]] as const
      }),
    { onHalt: (drawn) => [lastFrame(drawn)].filter((text) => text !== "") }
  )
})
