/** A frame of a chat: what the screen showed and what has come → what it shows, and the text that makes it so; pure. */
import type { Transcript } from "../blocks.ts"
import { emptyChat } from "./chatState.ts"
import type { Advanced, ChatScene } from "./draw.ts"
import { type FooterScene, withFooter } from "./footer.ts"
import { compose, emptyScreen, type Footer, resized, type Screen } from "./screen.ts"
import { alternate, bell, wholeScreen } from "./terminalText.ts"
import { viewFrame } from "./viewFrame.ts"

export interface Drawn extends ChatScene {
  readonly screen: Screen
  readonly footer: Footer | undefined
  readonly columns: number
  /** The rows of the view that is shown. */
  readonly shown: string
  readonly isAlternate: boolean
  /** What goes to the transcript once the alternate screen is left. */
  readonly held: string
  /** What a person is waited for, since when, and whether the bell was rung for it. */
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

const askedOf = ({ asked }: Drawn, { chat }: ChatScene, now: number): readonly [Drawn["asked"], string] => {
  const id = chat.panel?.request.requestId
  if (id === undefined) return [undefined, ""]
  if (asked?.id !== id) return [{ id, since: now, isRung: false }, ""]
  if (asked.isRung || now - asked.since < bellAfterMs) return [asked, ""]
  return [{ ...asked, isRung: true }, bell]
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
  const shown = lines.join("\n")
  const isForced = !before.isAlternate || before.columns !== base.columns || chat.redraws !== before.chat.redraws
  const drawn = { ...base, chat: next, screen, footer: undefined, shown, isAlternate: true, held: before.held + text }
  return [drawn, isForced || shown !== before.shown ? entered + wholeScreen(lines) : ""]
}

const onMain = (before: Drawn, base: Base, advanced: Advanced, scene: FooterScene): readonly [Drawn, string] => {
  const { chat, footer } = withFooter(advanced.chat, advanced.transcript, scene)
  const text = before.held + advanced.text
  const isForced = before.isAlternate || before.columns !== base.columns || chat.redraws !== before.chat.redraws
  if (!isForced && text === "" && isSame(footer, before.footer)) return [{ ...base, chat, footer }, ""]
  const [screen, written] = compose(base.screen, text, footer, base.columns)
  const left = before.isAlternate ? alternate.off : ""
  return [{ ...base, chat, screen, footer, shown: "", isAlternate: false, held: "" }, left + written]
}

/** After a stop the shell has written below; after a change of width the terminal has wrapped its rows anew. */
const screenFor = ({ screen, footer, columns, chat }: Drawn, advanced: ChatScene, now: number): Screen => {
  if (chat.suspension === "suspended" && advanced.chat.suspension === undefined) return emptyScreen
  return columns === now ? screen : resized(screen, footer, now)
}

export const frame = (before: Drawn, advanced: Advanced, scene: FooterScene): readonly [Drawn, string] => {
  const { columns } = scene.surface
  const [asked, rung] = askedOf(before, advanced, scene.now)
  const { chat, transcript } = advanced
  const base = { ...before, transcript, columns, asked, screen: screenFor(before, advanced, columns) }
  const isView = chat.view !== undefined && chat.suspension === undefined
  const [next, written] = (isView ? onAlternate : onMain)(before, base, advanced, scene)
  return [next, written + rung]
}

/** The transcript alone, on the screen that was there before. */
export const lastFrame = ({ screen, held, columns, isAlternate }: Drawn): string =>
  (isAlternate ? alternate.off : "") + compose(screen, held, undefined, columns)[1]
