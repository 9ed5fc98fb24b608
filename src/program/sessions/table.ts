/** Sessions as rows for people, fit to the width of the terminal: a line each, or a few where it is narrow. Pure. */
import { CliOutput } from "effect/cli"
import type { SessionInfo } from "../../contract/Sessions.ts"
import { plural } from "../../contract/text/amounts.ts"
import { clip, oneLine } from "../format.ts"
import { paint, roomOf, type Style, type Surface } from "../style.ts"
import { ago, costOf, shortIds, shownPath, shownTitle, stateOf } from "./cells.ts"

export interface Scene {
  readonly surface: Surface
  /** In ms since 1970. */
  readonly now: number
  /** The user's home directory. */
  readonly home: string | undefined
}

const width = CliOutput.displayWidth
const widest = (texts: ReadonlyArray<string>) => Math.max(0, ...texts.map(width))
const pad = (text: string, to: number) => text + " ".repeat(Math.max(0, to - width(text)))

/** A title, and below it all the rest. */
const block = (session: SessionInfo, id: string, { surface, now, home }: Scene): ReadonlyArray<string> => {
  const room = roomOf(surface)
  const { text, style } = stateOf(session, now)
  const turns = session.turns === undefined ? [] : [plural(session.turns, "turn")]
  const cost = [costOf(session)].filter((known) => known !== "")
  const facts = [id, oneLine(session.cli), ago(session.usedAt, now), ...turns, ...cost].join(" · ")
  const rows: ReadonlyArray<readonly [string, Style]> = [
    [facts, "dim"],
    [shownPath(session.directory, home, room - 2), "dim"],
    [text, style]
  ]
  const below = rows.flatMap(([row, of]) => (row === "" ? [] : [paint(surface, of, `  ${clip(row, room - 2)}`)]))
  return [paint(surface, "bold", clip(shownTitle(session), room)), ...below]
}

/** For a title and a path; with less, they go below each other. */
const leastLeft = 30
const gap = "  "
const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, number) => total + number, 0)

/** Columns of text, each as wide as its widest cell. */
const columnsOf = (sessions: ReadonlyArray<SessionInfo>, { surface, now, home }: Scene) => {
  const column = (head: string, cells: ReadonlyArray<string>) => ({ head, cells, width: widest([head, ...cells]) })
  const states = sessions.map((each) => stateOf(each, now).text)
  const state = column(
    "",
    states.map((text) => clip(text, Math.floor(roomOf(surface) / 4)))
  )
  const id = column("ID", shortIds(sessions))
  const cli = column(
    "CLI",
    sessions.map((each) => clip(oneLine(each.cli), 12))
  )
  const used = column(
    "LAST USED",
    sessions.map(({ usedAt }) => ago(usedAt, now))
  )
  const turns = column(
    "TURNS",
    sessions.map((each) => (each.turns === undefined ? "" : String(each.turns)))
  )
  const costs = sessions.map(costOf)
  const cost = costs.every((text) => text === "") ? [] : [column("COST", costs)]
  const fixed = [id, cli, used, turns, ...cost, state].map((each) => each.width)
  const left = roomOf(surface) - sum(fixed) - gap.length * (fixed.length + 1)
  const path = column(
    "DIRECTORY",
    sessions.map(({ directory }) => shownPath(directory, home, Math.max(9, Math.floor(left * 0.4))))
  )
  const title = column(
    "TITLE",
    sessions.map((each) => clip(shownTitle(each), Math.max(10, left - path.width)))
  )
  return { shown: [id, title, cli, path, used, turns, ...cost], state, left }
}

export const sessionLines = (sessions: ReadonlyArray<SessionInfo>, scene: Scene): ReadonlyArray<string> => {
  const { surface, now } = scene
  const { shown: columns, state, left } = columnsOf(sessions, scene)
  if (left < leastLeft) {
    const ids = shortIds(sessions)
    return sessions.flatMap((each, index) => block(each, ids[index] ?? "", scene))
  }
  const head = columns.map((column) => pad(column.head, column.width)).join(gap)
  const rows = sessions.map((session, index) => {
    const cells = columns.map((column) => pad(column.cells[index] ?? "", column.width)).join(gap)
    const text = state.cells[index] ?? ""
    return text === "" ? cells.trimEnd() : `${cells}${gap}${paint(surface, stateOf(session, now).style, text)}`
  })
  return [paint(surface, "dim", head.trimEnd()), ...rows]
}
