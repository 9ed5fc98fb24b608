/** The footer below the transcript of a chat: status, the open request, and the prompt; pure. */
import { CliOutput } from "effect/cli"
import { harmless } from "../../text/harmless.ts"
import type { Transcript } from "../blocks.ts"
import { clip } from "../format.ts"
import { statusBelow } from "../status.ts"
import { marks, paint, type Surface } from "../style.ts"
import { help, type Message } from "./actions.ts"
import type { Editor } from "./editor.ts"
import type { Panel } from "./panel.ts"
import { requestFooter } from "./requestFooter.ts"
import { headRows, requestHead } from "./requestRows.ts"
import type { Footer } from "./screen.ts"
import type { Chat } from "./state.ts"

const shownRows = 8

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

interface Cursor {
  readonly row: number
  readonly column: number
}

/** Wraps a text into rows of `width` cells, and locates its cursor. */
const layOut = ({ text, cursor }: Editor, width: number) => {
  const rows: Array<string> = [""]
  let cells = 0
  let at: Cursor = { row: 0, column: 0 }
  for (const { segment, index } of graphemes.segment(text)) {
    const shown = segment === "\n" ? "" : harmless(segment)
    const segmentCells = CliOutput.displayWidth(shown)
    if (cells + segmentCells > width) {
      rows.push("")
      cells = 0
    }
    if (index === cursor) at = { row: rows.length - 1, column: cells }
    if (segment === "\n") {
      rows.push("")
      cells = 0
    } else {
      rows.push((rows.pop() ?? "") + shown)
      cells += segmentCells
    }
  }
  return { rows, cursor: cursor === text.length ? { row: rows.length - 1, column: cells } : at }
}

/** The rows around the cursor, after a label. */
const editorFooter = (editor: Editor, label: string, surface: Surface, columns: number): Footer => {
  const indent = CliOutput.displayWidth(label) + 1
  const { rows, cursor } = layOut(editor, Math.max(4, columns - indent - 1))
  const from = Math.max(0, Math.min(cursor.row - shownRows + 1, rows.length - shownRows))
  const shown = rows.slice(from, from + shownRows)
  const mark = paint(surface, "cyan", label)
  const lines = shown.map((row, index) => (index === 0 ? `${mark} ${row}` : `${" ".repeat(indent)}${row}`))
  return { lines, row: cursor.row - from, column: indent + cursor.column }
}

type EditorPanel = Exclude<Panel, { readonly _tag: "Keys" }>

const below = (above: ReadonlyArray<string>, { lines, row, column }: Footer): Footer => ({
  lines: [...above, ...lines],
  row: row + above.length,
  column
})

const prompt = (chat: Chat, surface: Surface, columns: number): Footer =>
  editorFooter(chat.draft, marks.prompt, surface, columns)

export const replyHint = ({ request, at, problem }: Extract<Panel, { readonly _tag: "Reply" }>) => {
  const question = request.questions[at]
  const count = request.questions.length > 1 ? `${at + 1} of ${request.questions.length}: ` : ""
  const numbers = question?.multiple === true ? "numbers" : "a number"
  const hint = `${numbers}${question?.freeText === true ? ", or a text" : ""}; Enter alone leaves it to the agent`
  return { problem, question: `${count}${question?.question ?? ""}`, hint }
}

/** The footer for a panel in which a text is typed. */
const editorPanel = (panel: EditorPanel, isOnly: boolean, agent: string, surface: Surface): Footer => {
  const { columns } = surface
  const room = columns - 1
  if (panel._tag === "Message") {
    const head = headRows(requestHead(agent, panel.request), room).map((row) => paint(surface, "bold", row))
    return below(head, editorFooter(panel.editor, "message for the agent:", surface, columns))
  }
  const { problem, question, hint } = replyHint(panel)
  const line =
    problem === undefined ? paint(surface, "dim", clip(hint, room)) : paint(surface, "yellow", clip(problem, room))
  const isNamed = panel.request.questions.length > 1 || !isOnly
  const above = [
    ...(isNamed ? [paint(surface, "bold", clip(harmless(question).replaceAll("\n", " "), room))] : []),
    line
  ]
  return below(above, editorFooter(panel.editor, marks.ask, surface, columns))
}

export interface FooterScene {
  readonly surface: Surface
  /** Of the terminal. */
  readonly rows: number
  readonly now: number
}

type KeysPanel = Extract<Panel, { readonly _tag: "Keys" }>

/** The footer for a request that one key decides, above a text that was begun. */
const keysPanel = (panel: KeysPanel, chat: Chat, agent: string, scene: FooterScene, gap: number) => {
  const { surface } = scene
  const draft = chat.draft.text === "" ? undefined : prompt(chat, surface, surface.columns)
  const count = [1, chat.requests.length] as const
  const taken = gap + (draft?.lines.length ?? 0)
  const [next, lines] = requestFooter(panel, { ...scene, agent, count, taken })
  const last = Math.min(CliOutput.displayWidth(lines.at(-1) ?? ""), surface.columns - 1)
  const footer = draft === undefined ? { lines, row: lines.length - 1, column: last } : below(lines, draft)
  return [next, footer] as const
}

/** The footer to draw, if any, and the chat once it is on the screen. */
export const withFooter = (
  chat: Chat,
  transcript: Transcript,
  scene: FooterScene
): { readonly chat: Chat; readonly footer: Footer | undefined } => {
  const { panel } = chat
  const gap = transcript.page.feeds === 2 ? [] : [""]
  if (panel?._tag !== "Keys") return { chat, footer: footerOf(chat, transcript, scene, gap) }
  const [next, footer] = keysPanel(panel, chat, transcript.agent, scene, gap.length)
  return { chat: { ...chat, panel: next }, footer: below(gap, footer) }
}

const footerOf = (
  chat: Chat,
  transcript: Transcript,
  { surface, now }: FooterScene,
  gap: ReadonlyArray<string>
): Footer | undefined => {
  const { columns } = surface
  const { panel } = chat
  if (panel !== undefined && panel._tag !== "Keys") {
    return below(gap, editorPanel(panel, chat.requests.length === 1, transcript.agent, surface))
  }
  if (!chat.isBusy && !chat.isLeaving) return below(gap, prompt(chat, surface, columns))
  const status = statusBelow(transcript, surface, now, chat.isInterrupted || chat.isLeaving)
  if (chat.draft.text !== "") return below([...gap, ...status], prompt(chat, surface, columns))
  if (status.length === 0) return undefined
  const lines = [...(transcript.page.block === "lines" && transcript.page.feeds === 1 ? [] : gap), ...status]
  return { lines, row: lines.length - 1, column: Math.min(CliOutput.displayWidth(lines.at(-1) ?? ""), columns - 1) }
}

/** A message of the program, as lines. */
export const messageLines = (surface: Surface, message: Message): ReadonlyArray<string> => {
  if (message._tag === "Note") return [paint(surface, "dim", `${marks.notice} ${harmless(message.text)}`)]
  if (message._tag === "Help") {
    return help.map(([key, text]) => `${paint(surface, "bold", key.padEnd(9))} ${paint(surface, "dim", text)}`)
  }
  const [first = "", ...more] = harmless(message.text).split("\n")
  return [
    `${paint(surface, "cyan", marks.prompt)} ${paint(surface, "bold", first)}`,
    ...more.map((line) => `  ${paint(surface, "bold", line)}`)
  ]
}
