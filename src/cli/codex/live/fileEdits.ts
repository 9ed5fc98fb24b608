/** The paths of items of `app-server`, and the changed lines of a `fileChange` (0.169.0). */
import { resolve } from "node:path"
import { Predicate } from "effect"
import type { FileEdit } from "../../../contract/ToolEvent.ts"
import { at, listAt } from "../../jsonFields.ts"
import { type Files, textIn } from "../../toolInputs.ts"
import type { Item } from "./wire.ts"

interface Change {
  readonly path: string
  readonly kind: string
  readonly movePath: string | undefined
  readonly diff: string
}

const changeOf = (change: unknown): ReadonlyArray<Change> => {
  if (!Predicate.isObject(change)) return []
  const [path, kind] = [textIn(change, "path"), at(change, "kind")]
  if (path === undefined || !Predicate.isObject(kind)) return []
  const movePath = textIn(kind, "move_path")
  return [{ path, kind: textIn(kind, "type") ?? "update", movePath, diff: textIn(change, "diff") ?? "" }]
}

const changesOf = (item: Item) => listAt(item, "changes").flatMap(changeOf)

/** The text of a hunk on one side, unchanged lines included; a file may end without a line break. */
const sideOf = (sign: "-" | "+", lines: ReadonlyArray<string>): string =>
  lines
    .flatMap((line, index) => {
      if (!line.startsWith(" ") && !line.startsWith(sign)) return []
      return lines[index + 1]?.startsWith("\\") === true ? [line.slice(1)] : [`${line.slice(1)}\n`]
    })
    .join("")

const header = /^@@(?: -(\d+)[^@]*@@)?.*$/m

/** An edit for each hunk. */
const hunks = ({ path, movePath, diff }: Change): ReadonlyArray<FileEdit> => {
  const [, ...pieces] = diff.split(/^(@@.*)$/m)
  const moved = movePath === undefined ? {} : { movedTo: movePath }
  const edits: Array<FileEdit> = []
  for (let at = 0; at < pieces.length; at += 2) {
    const lines = (pieces[at + 1] ?? "").split("\n")
    const from = Number(header.exec(pieces[at] ?? "")?.[1])
    const place = Number.isSafeInteger(from) && from > 0 ? { line: from } : {}
    edits.push({ path, before: sideOf("-", lines), after: sideOf("+", lines), ...place, ...moved })
  }
  return edits.length === 0 && movePath !== undefined ? [{ path, movedTo: movePath }] : edits
}

/** The diff of a file that is added or deleted is its bare content. */
const editsOfChange = (change: Change): ReadonlyArray<FileEdit> => {
  const { path, kind, diff } = change
  if (kind === "add") return [{ path, after: diff }]
  if (kind === "delete") return [{ path, before: diff }]
  return hunks(change)
}

/** Files that Codex sees in the text of a command. No request has them: a rule must not trust a guess. */
const filesOfCommand = ({ commandActions, cwd }: Item): Files => {
  const actions: ReadonlyArray<unknown> = Array.isArray(commandActions) ? commandActions : []
  const base = Predicate.isString(cwd) ? cwd : ""
  const paths = new Set(actions.map((action) => textIn(action, "path")).filter((path) => path !== undefined))
  return paths.size === 0 ? {} : { paths: [...paths].map((path) => (base === "" ? path : resolve(base, path))) }
}

export const filesOf = (item: Item): Files => {
  if (item.type === "commandExecution") return filesOfCommand(item)
  if (item.type !== "fileChange") return {}
  const [paths, edits] = [pathsOf(item), changesOf(item).flatMap(editsOfChange)]
  return { ...(paths.length === 0 ? {} : { paths }), ...(edits.length === 0 ? {} : { edits }) }
}

export const pathsOf = (item: Item): ReadonlyArray<string> =>
  changesOf(item).flatMap(({ path, movePath }) => (movePath === undefined ? [path] : [path, movePath]))

/** Whether the paths describe all that the item would do. */
export const isWhole = (item: Item): boolean => {
  const changes = listAt(item, "changes")
  return changes.length > 0 && changes.every((change) => changeOf(change).length === 1)
}
