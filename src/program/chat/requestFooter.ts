/**
 * What is asked, on pages that fit above the keys: nothing of it is cut, and what is not on this page is counted. Gives
 * the panel as it is once this is on the screen; pure.
 */
import { CliOutput } from "effect/cli"
import { formatElapsed, plural } from "../format.ts"
import { paint, type Surface } from "../style.ts"
import { wrap } from "../wrap.ts"
import { type Choice, choicesOf, isPlanMissing } from "./choices.ts"
import { displayed, laidOut, type Panel } from "./panel.ts"
import { headRows, requestHead, requestRows } from "./requestRows.ts"

type KeysPanel = Extract<Panel, { readonly _tag: "Keys" }>

export interface RequestScene {
  readonly surface: Surface
  /** Of the terminal. */
  readonly rows: number
  readonly now: number
  /** Who asks. */
  readonly agent: string
  /** Which of how many that are asked, from 1. */
  readonly count: readonly [at: number, of: number]
  /** Rows that something else needs. */
  readonly taken: number
}

/** Whole items on a row where they fit. */
const keyRows = (surface: Surface, choices: ReadonlyArray<Choice>, width: number): ReadonlyArray<string> => {
  const rows: Array<string> = []
  let used = 0
  for (const { key, does } of choices) {
    const cells = CliOutput.displayWidth(`${key} ${does}`)
    const item = `${paint(surface, "bold", key)} ${paint(surface, "dim", does)}`
    if (rows.length === 0 || used + 3 + cells > width) {
      const [first = "", ...more] = wrap(`${key} ${does}`, width)
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
  const told = panel.problem ?? (scene.rows < low && !isPlanMissing(panel.request) ? undefined : note)
  const notes = told === undefined ? [] : wrap(told, width).map((row) => paint(surface, "yellow", row))
  return [...notes, ...deadlineRows(panel, scene, width), ...keyRows(surface, choices, width)]
}

const narrow = 30

/** On so few rows what can be done stands before why the rest cannot. */
const low = 16

/** What stands where a page ends. */
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
  // The same for all that can stand there, so that no key lays the pages out anew.
  const calm = { ...panel, problem: undefined }
  const heightBelow = (isPaged: boolean) =>
    Math.max(...[true, false].map((isWhole) => below(calm, scene, width, isWhole, isPaged).length))
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
