/**
 * The footer below the transcript of a chat, in this order: running tools, what is asked or waits, the prompt, the status
 * row; pure. At most half of the screen; what is asked may take nearly all of it.
 */
import { CliOutput } from "effect/cli"
import { harmless } from "../../contract/text/harmless.ts"
import type { Transcript } from "../blocks.ts"
import { clip } from "../format.ts"
import { answerRows } from "../status.ts"
import { marks, paint, type Surface } from "../style.ts"
import { activityRows } from "./activity.ts"
import type { Chat } from "./chatState.ts"
import type { Panel } from "./panel.ts"
import { below, editorFooter } from "./promptRows.ts"
import { requestFooter } from "./requestFooter.ts"
import { headRows, requestHead } from "./requestRows.ts"
import type { Footer } from "./screen.ts"
import { statusRow } from "./statusRow.ts"
import { deliveries, type Waiting } from "./waiting.ts"

type EditorPanel = Exclude<Panel, { readonly _tag: "Keys" }>

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
    return below(head, editorFooter(panel.editor, "message for the agent:", surface))
  }
  const { problem, question, hint } = replyHint(panel)
  const line =
    problem === undefined ? paint(surface, "dim", clip(hint, room)) : paint(surface, "yellow", clip(problem, room))
  const isNamed = panel.request.questions.length > 1 || !isOnly
  const above = [
    ...(isNamed ? [paint(surface, "bold", clip(harmless(question).replaceAll("\n", " "), room))] : []),
    line
  ]
  return below(above, editorFooter(panel.editor, marks.ask, surface))
}

export interface FooterScene {
  readonly surface: Surface
  /** Of the terminal. */
  readonly rows: number
  readonly now: number
  /** The home directory, which is `~`. */
  readonly home?: string
}

type KeysPanel = Extract<Panel, { readonly _tag: "Keys" }>

/** The cursor behind the last row. */
const atEnd = (lines: ReadonlyArray<string>, columns: number): Footer => ({
  lines,
  row: lines.length - 1,
  column: Math.min(CliOutput.displayWidth(lines.at(-1) ?? ""), columns - 1)
})

/** The footer for a request that one key decides, above a text that was begun. */
const keysPanel = (panel: KeysPanel, chat: Chat, agent: string, scene: FooterScene, gap: number) => {
  const { surface } = scene
  const draft = chat.draft.text === "" ? undefined : editorFooter(chat.draft, marks.prompt, surface)
  const count = [1, chat.requests.length] as const
  const taken = gap + (draft?.lines.length ?? 0)
  const [next, lines] = requestFooter(panel, { ...scene, agent, count, taken })
  return [next, draft === undefined ? atEnd(lines, surface.columns) : below(lines, draft)] as const
}

/** The footer to draw, if any, and the chat once it is on the screen. */
export const withFooter = (
  chat: Chat,
  transcript: Transcript,
  scene: FooterScene
): { readonly chat: Chat; readonly footer: Footer | undefined } => {
  const { panel, suspension } = chat
  if (suspension !== undefined) return { chat, footer: undefined }
  const answer = answerRows(transcript, scene.surface, scene.rows)
  const gap = answer.length > 0 ? [...answer, ""] : transcript.page.feeds === 2 ? [] : [""]
  if (panel?._tag !== "Keys") return { chat, footer: footerOf(chat, transcript, scene, gap) }
  const [next, footer] = keysPanel(panel, chat, transcript.agent, scene, gap.length)
  return { chat: { ...chat, panel: next }, footer: below(gap, footer) }
}

const waitingRow = (surface: Surface, { text, delivery }: Waiting): string => {
  const state = delivery === undefined ? "is being sent" : deliveries[delivery]
  const words = harmless(text).replace(/\s+/g, " ")
  const room = Math.max(8, surface.columns - 1 - 2 - state.length - 3)
  return `${paint(surface, "cyan", marks.prompt)} ${clip(words, room)}${paint(surface, "dim", ` · ${state}`)}`
}

/** The latest of them, and how many there are before. */
const waitingRows = ({ waiting }: Chat, surface: Surface, most: number): ReadonlyArray<string> => {
  const rows = waiting.map((one) => waitingRow(surface, one))
  if (rows.length <= most) return rows
  const shown = Math.max(0, most - 1)
  const more = paint(surface, "dim", `  … and ${rows.length - shown} more`)
  return [...(most > 0 ? [more] : []), ...rows.slice(rows.length - shown)]
}

const candidateRows = ({ candidates }: Chat, surface: Surface): ReadonlyArray<string> =>
  candidates.length === 0
    ? []
    : [paint(surface, "dim", clip(`  ${harmless(candidates.join("  "))}`, surface.columns - 1))]

const footerOf = (
  chat: Chat,
  transcript: Transcript,
  { surface, now, rows, home }: FooterScene,
  gap: ReadonlyArray<string>
): Footer | undefined => {
  const { columns } = surface
  const { panel } = chat
  if (panel !== undefined && panel._tag !== "Keys") {
    return below(gap, editorPanel(panel, chat.requests.length === 1, transcript.agent, surface))
  }
  const activity = activityRows(chat, transcript, surface, now)
  if (chat.isLeaving) return activity.length === 0 ? undefined : atEnd([...gap, ...activity], columns)
  const candidates = candidateRows(chat, surface)
  // Of the half: the gap, one row of the prompt, the status row.
  const room = Math.max(1, Math.floor(rows / 2) - gap.length - 2 - candidates.length)
  const shown = activity.slice(0, room)
  const waiting = waitingRows(chat, surface, room - shown.length)
  const above = [...gap, ...shown, ...waiting]
  const prompt = editorFooter(
    chat.draft,
    marks.prompt,
    surface,
    1 + Math.max(0, Math.min(7, room - shown.length - waiting.length))
  )
  const status = statusRow(transcript, chat.facts, surface, home)
  const { lines, ...cursor } = below(above, prompt)
  return { lines: [...lines, ...candidates, status], ...cursor }
}
