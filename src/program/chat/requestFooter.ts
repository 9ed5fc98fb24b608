/**
 * A request on pages that fit above the keys: nothing is cut, and the rows that are not on this page are counted. Gives
 * the panel once this is on the screen; pure.
 */
import { CliOutput } from "effect/cli"
import { obstacleOf } from "../../approvals/obstacle.ts"
import { formatElapsed, plural } from "../../text/amounts.ts"
import { paint, type Surface } from "../style.ts"
import { wrap } from "../wrap.ts"
import { type Choice, choicesOf } from "./choices.ts"
import { displayed, laidOut, type Panel } from "./panel.ts"
import { headRows, requestHead, requestRows } from "./requestRows.ts"

type KeysPanel = Extract<Panel, { readonly _tag: "Keys" }>

export interface RequestScene {
  readonly surface: Surface
  /** Of the terminal. */
  readonly rows: number
  readonly now: number
  /** The agent's name, for people. */
  readonly agent: string
  /** Position among the open requests, from 1, and their number. */
  readonly count: readonly [at: number, of: number]
  /** Rows that are needed for other parts of the footer. */
  readonly taken: number
}

/** Puts as many keys on a row as fit whole. */
const keyRows = (surface: Surface, choices: ReadonlyArray<Choice>, width: number): ReadonlyArray<string> => {
  const rows: Array<string> = []
  let used = 0
  for (const { key, label } of choices) {
    const cells = CliOutput.displayWidth(`${key} ${label}`)
    const item = `${paint(surface, "bold", key)} ${paint(surface, "dim", label)}`
    if (rows.length === 0 || used + 3 + cells > width) {
      const [first = "", ...more] = wrap(`${key} ${label}`, width)
      rows.push(cells > width ? first : item, ...more)
      used = cells
    } else {
      rows.push(`${rows.pop() ?? ""}${paint(surface, "dim", " · ")}${item}`)
      used += 3 + cells
    }
  }
  return rows
}

const deadlineRows = ({ request }: KeysPanel, { surface, now }: RequestScene, width: number): ReadonlyArray<string> => {
  if (request.deadlineMs === undefined) return []
  const left = formatElapsed(Math.max(0, request.deadlineMs - now))
  return wrap(`decided without you in ${left}`, width).map((row) => paint(surface, "dim", row))
}

const below = (panel: KeysPanel, scene: RequestScene, width: number, isWhole: boolean, isPaged: boolean) => {
  const { surface } = scene
  const { choices, note } = choicesOf(panel.request, isWhole, isPaged)
  const text = panel.problem ?? (scene.rows < low && obstacleOf(panel.request) === undefined ? undefined : note)
  const notes = text === undefined ? [] : wrap(text, width).map((row) => paint(surface, "yellow", row))
  return [...notes, ...deadlineRows(panel, scene, width), ...keyRows(surface, choices, width)]
}

const narrow = 30

/** Below this number of rows the keys take precedence over the reason why some are missing. */
const low = 16

/** The row that marks the end of a page. */
const markRow = (page: number, pages: number, hidden: number, width: number) => {
  if (page + 1 === pages) return width < narrow ? "── end" : `── page ${pages} of ${pages} · v: the first`
  return width < narrow ? `── ${hidden} more · v` : `── ${plural(hidden, "row")} not shown · v`
}

export const requestFooter = (panel: KeysPanel, scene: RequestScene): readonly [KeysPanel, ReadonlyArray<string>] => {
  const { surface, rows: screenRows, agent, count, taken } = scene
  const width = Math.max(4, surface.columns - 1)
  const { request } = panel
  const [at, of] = count
  const title = requestHead(agent, request) + (of > 1 ? ` · ${at} of ${of}` : "")
  const head = headRows(title, width).map((row) => paint(surface, request.escalated ? "red" : "bold", row))
  const rows = requestRows(request, width)
  // The largest footer that can occur, so that no key changes the pages.
  const withoutProblem = { ...panel, problem: undefined }
  const heightBelow = (isPaged: boolean) =>
    Math.max(...[true, false].map((isWhole) => below(withoutProblem, scene, width, isWhole, isPaged).length))
  const room = (isPaged: boolean) => Math.max(1, screenRows - 2 - taken - head.length - heightBelow(isPaged))
  const isPaged = rows.length > room(false)
  const perPage = isPaged ? Math.max(1, room(true) - 1) : rows.length
  const pages = Math.max(1, Math.ceil(rows.length / perPage))
  const view = displayed(laidOut(panel, `${width} ${perPage}`, pages))
  const shown = rows.slice(view.page * perPage, (view.page + 1) * perPage)
  const hidden = rows.length - (view.page + 1) * perPage
  const mark = isPaged ? [paint(surface, "yellow", markRow(view.page, pages, hidden, width))] : []
  return [view, [...head, ...shown, ...mark, ...below(view, scene, width, view.isWhole, isPaged)]]
}
