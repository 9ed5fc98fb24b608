/** Sessions as rows for people, fit to the width of the terminal: a line each, or a few where it is narrow. Pure. */
import { Clock, Effect, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import type { SessionInfo } from "../../contract/Sessions.ts"
import { plural } from "../../contract/text/amounts.ts"
import { findHome } from "../../system/locks/stateDirectory.ts"
import { clip, oneLine, padEnd, widest } from "../format.ts"
import { paint, roomOf, type Style, type Surface } from "../style.ts"
import { ago, costOf, shortIds, shownPath, shownTitle, stateOf } from "./cells.ts"

export interface Scene {
  readonly surface: Surface
  /** In ms since 1970. */
  readonly now: number
  readonly home: string | undefined
  /** Sessions that are not listed: the ids that are shown are not those of others. */
  readonly others?: ReadonlyArray<SessionInfo>
}

/** A title, with the facts below it. */
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

/** Room for a title and a path; with less, they go below each other. */
const leastLeft = 30
const gap = "  "
const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, number) => total + number, 0)

const columnsOf = (sessions: ReadonlyArray<SessionInfo>, { surface, now, home, others }: Scene) => {
  const column = (head: string, cellOf: (session: SessionInfo, index: number) => string) => {
    const cells = sessions.map(cellOf)
    return { head, cells, width: widest([head, ...cells]) }
  }
  const ids = shortIds(sessions, others)
  const state = column("", (each) => clip(stateOf(each, now).text, Math.floor(roomOf(surface) / 4)))
  const id = column("ID", (_, index) => ids[index] ?? "")
  const cli = column("CLI", (each) => clip(oneLine(each.cli), 12))
  const used = column("LAST USED", ({ usedAt }) => ago(usedAt, now))
  const turns = column("TURNS", (each) => (each.turns === undefined ? "" : String(each.turns)))
  const cost = sessions.every((each) => costOf(each) === "") ? [] : [column("COST", costOf)]
  const fixed = [id, cli, used, turns, ...cost, state].map((each) => each.width)
  const left = roomOf(surface) - sum(fixed) - gap.length * (fixed.length + 1)
  const path = column("DIRECTORY", (each) => shownPath(each.directory, home, Math.max(9, Math.floor(left * 0.4))))
  const title = column("TITLE", (each) => clip(shownTitle(each), Math.max(10, left - path.width)))
  return { shown: [id, title, cli, path, used, turns, ...cost], state, left }
}

export const sessionLines = (sessions: ReadonlyArray<SessionInfo>, scene: Scene): ReadonlyArray<string> => {
  const { surface, now } = scene
  const { shown: columns, state, left } = columnsOf(sessions, scene)
  if (left < leastLeft) {
    const ids = shortIds(sessions, scene.others)
    return sessions.flatMap((each, index) => block(each, ids[index] ?? "", scene))
  }
  const head = columns.map((column) => padEnd(column.head, column.width)).join(gap)
  const rows = sessions.map((session, index) => {
    const cells = columns.map((column) => padEnd(column.cells[index] ?? "", column.width)).join(gap)
    const text = state.cells[index] ?? ""
    return text === "" ? cells.trimEnd() : `${cells}${gap}${paint(surface, stateOf(session, now).style, text)}`
  })
  return [paint(surface, "dim", head.trimEnd()), ...rows]
}

export const currentScene = Effect.gen(function* () {
  const { canAnimate, canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const { columns } = yield* Terminal.Terminal
  const surface = { live: canAnimate && canColor, columns: yield* columns }
  return { surface, now: yield* Clock.currentTimeMillis, home: yield* findHome } satisfies Scene
})
