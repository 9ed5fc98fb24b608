/**
 * A request above the keys that answer it. If it does not fit, its middle is folded, and `v` shows all of it on the whole
 * screen. Returns the panel once this is on the screen; pure.
 */
import { CliOutput } from "effect/cli"
import { obstacleOf } from "../../agents/approvals/preview.ts"
import { formatElapsed, plural } from "../../contract/text/amounts.ts"
import { paint, type Surface } from "../style.ts"
import { wrap } from "../wrap.ts"
import { type Choice, choicesOf } from "./choices.ts"
import { displayed, type Panel } from "./panel.ts"
import { headRows, requestHead, requestRows } from "./requestRows.ts"

type KeysPanel = Extract<Panel, { readonly _tag: "Keys" }>

export interface RequestScene {
  readonly surface: Surface
  readonly rows: number
  readonly now: number
  readonly agent: string
  /** Position among the open requests, from 1, and their number. */
  readonly count: readonly [at: number, of: number]
  /** Rows of the rest of the footer. */
  readonly taken: number
}

const keyRows = (surface: Surface, choices: ReadonlyArray<Choice>, width: number): ReadonlyArray<string> => {
  const rows: Array<string> = []
  let used = 0
  for (const { key, label } of choices) {
    const cells = CliOutput.displayWidth(`${key} ${label}`)
    // Nothing that a decision needs is dim.
    const item = `${paint(surface, "bold", key)} ${label}`
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

const below = (panel: KeysPanel, scene: RequestScene, width: number, isWhole: boolean, isFolded: boolean) => {
  const { surface } = scene
  const { choices, note } = choicesOf(panel.request, isWhole, isFolded)
  const text = panel.problem ?? (scene.rows < low && obstacleOf(panel.request) === undefined ? undefined : note)
  const notes = text === undefined ? [] : wrap(text, width).map((row) => paint(surface, "yellow", row))
  return [...notes, ...deadlineRows(panel, scene, width), ...keyRows(surface, choices, width)]
}

/** Below this number of rows the keys take precedence over the reason why some are missing. */
const low = 16

const foldRow = (hidden: number, width: number) => {
  const text = ` ${plural(hidden, "row")} not shown · v view `
  const short = ` ${hidden} more · v `
  const [visible, line] = text.length + 14 <= width ? [text, 5] : [short, 2]
  return `  ${"─".repeat(line)}${visible}${"─".repeat(line)}`
}

/** Keeps the first and the last rows: the end of a command is as telling as its start. */
const folded = (rows: ReadonlyArray<string>, room: number, width: number, surface: Surface) => {
  const visible = Math.max(2, room - 1)
  const first = Math.ceil(visible / 2)
  const hidden = rows.length - visible
  return [...rows.slice(0, first), paint(surface, "yellow", foldRow(hidden, width)), ...rows.slice(first + hidden)]
}

export const requestFooter = (panel: KeysPanel, scene: RequestScene): readonly [KeysPanel, ReadonlyArray<string>] => {
  const { surface, rows: screenRows, agent, count, taken } = scene
  const width = Math.max(4, surface.columns - 1)
  const { request } = panel
  const [at, of] = count
  const rows = requestRows(request, width)
  const headOf = (isFolded: boolean) => {
    const facts = [...(isFolded ? [plural(rows.length, "row")] : []), ...(of > 1 ? [`${at} of ${of}`] : [])]
    return headRows([requestHead(agent, request), ...facts].join(" · "), width)
  }
  // The largest footer that can occur, so that no key changes what is shown.
  const withoutProblem = { ...panel, problem: undefined }
  const room = (isFolded: boolean) => {
    const heights = [true, false].map((isWhole) => below(withoutProblem, scene, width, isWhole, isFolded).length)
    return screenRows - 2 - taken - headOf(isFolded).length - Math.max(...heights)
  }
  const isFolded = rows.length > Math.max(1, room(false))
  const next = displayed(panel, isFolded)
  const head = headOf(isFolded).map((row) => paint(surface, request.escalated ? "red" : "bold", row))
  const visible = isFolded ? folded(rows, room(true), width, surface) : rows
  return [next, [...head, ...visible, ...below(next, scene, width, next.isWhole, isFolded)]]
}
