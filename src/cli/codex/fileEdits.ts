/** What a `fileChange` item of `app-server` would do to files: their paths, and for previews the changed lines (0.169.0). */
import { Predicate } from "effect"
import type { FileEdit } from "../Live.ts"
import type { Item } from "./liveWire.ts"

interface Change {
  readonly path: string
  readonly kind: string
  readonly movePath: string | undefined
  readonly diff: string
}

const textOf = (value: object, name: string) =>
  Predicate.hasProperty(value, name) && Predicate.isString(value[name]) ? value[name] : undefined

const changeOf = (change: unknown): ReadonlyArray<Change> => {
  if (!Predicate.isObject(change)) return []
  const path = textOf(change, "path")
  const kind: unknown = "kind" in change ? change.kind : undefined
  if (path === undefined || !Predicate.isObject(kind)) return []
  const movePath = textOf(kind, "move_path")
  return [{ path, kind: textOf(kind, "type") ?? "update", movePath, diff: textOf(change, "diff") ?? "" }]
}

const changesOf = (item: Item) => {
  const changes = item["changes"]
  return Array.isArray(changes) ? changes.flatMap(changeOf) : []
}

const startingWith = (sign: string, lines: ReadonlyArray<string>) =>
  lines.flatMap((line) => (line.startsWith(sign) ? [`${line.slice(1)}\n`] : [])).join("")

/** One of each hunk. */
const hunks = ({ path, diff }: Change): ReadonlyArray<FileEdit> =>
  diff
    .split(/^@@.*$/m)
    .slice(1)
    .map((hunk) => hunk.split("\n"))
    .map((lines) => ({ path, removed: startingWith("-", lines), added: startingWith("+", lines) }))

/** The diff of a file that is added or deleted is its bare content. */
const editsOfChange = (change: Change): ReadonlyArray<FileEdit> => {
  const { path, kind, diff } = change
  if (kind === "add") return [{ path, added: diff }]
  if (kind === "delete") return [{ path, removed: diff, added: "" }]
  return hunks(change)
}

export const editsOf = (item: Item): ReadonlyArray<FileEdit> => changesOf(item).flatMap(editsOfChange)

export const pathsOf = (item: Item): ReadonlyArray<string> =>
  changesOf(item).flatMap(({ path, movePath }) => (movePath === undefined ? [path] : [path, movePath]))

/** Whether all that the item would do is known by its paths. */
export const isWhole = (item: Item): boolean => {
  const changes = item["changes"]
  return Array.isArray(changes) && changes.length > 0 && changes.every((change) => changeOf(change).length === 1)
}
