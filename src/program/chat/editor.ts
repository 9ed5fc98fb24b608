/** A line editor: text and cursor before a key → after it; pure. A paste is inserted in one piece. */

import { graphemesOf } from "../../contract/text/graphemes.ts"

export interface Key {
  /** The text it types; undefined for keys that type none. */
  readonly text: string | undefined
  readonly name: string
  readonly ctrl: boolean
  readonly meta: boolean
}

export interface Editor {
  readonly text: string
  /** In code units. */
  readonly cursor: number
  readonly pasted: string | undefined
  /** Oldest first. */
  readonly history: ReadonlyArray<string>
  /** Index of the shown text of the history; undefined for a new text. */
  readonly shown: number | undefined
  readonly draft: string
}

export const emptyEditor: Editor = { text: "", cursor: 0, pasted: undefined, history: [], shown: undefined, draft: "" }

export type Edited = readonly [Editor, string | undefined]

/** The nearest character boundary before or after a position. */
const before = (text: string, at: number): number => {
  const from = Math.max(0, at - 64)
  return from + (Array.from(graphemesOf(text.slice(from, at))).at(-1)?.index ?? 0)
}
const after = (text: string, at: number): number =>
  at + ([...graphemesOf(text.slice(at, at + 64))][0]?.segment.length ?? 0)

const lineStart = ({ text, cursor }: Editor) => text.lastIndexOf("\n", cursor - 1) + 1
const lineEnd = ({ text, cursor }: Editor) => {
  const end = text.indexOf("\n", cursor)
  return end === -1 ? text.length : end
}

const insert = (editor: Editor, piece: string): Editor => ({
  ...editor,
  text: editor.text.slice(0, editor.cursor) + piece + editor.text.slice(editor.cursor),
  cursor: editor.cursor + piece.length
})

const cut = (editor: Editor, from: number, to: number): Editor => ({
  ...editor,
  text: editor.text.slice(0, from) + editor.text.slice(to),
  cursor: from
})

const moved = (editor: Editor, cursor: number): Editor => ({ ...editor, cursor })

const clean = (text: string) =>
  text
    .replace(/\r\n?/g, "\n")
    .replaceAll("\t", "  ")
    .replace(/[\0-\x09\x0b-\x1f\x7f-\x9f]/g, "")

const recalled = (editor: Editor, index: number | undefined): Editor => {
  const text = index === undefined ? editor.draft : (editor.history[index] ?? "")
  const draft = editor.shown === undefined ? editor.text : editor.draft
  return { ...editor, text, cursor: text.length, shown: index, draft }
}

const up = (editor: Editor): Editor => {
  const start = lineStart(editor)
  if (start > 0) return moved(editor, Math.min(start - 1, lineStart(moved(editor, start - 1)) + editor.cursor - start))
  const index = (editor.shown ?? editor.history.length) - 1
  return index < 0 ? editor : recalled(editor, index)
}

const down = (editor: Editor): Editor => {
  const end = lineEnd(editor)
  if (end < editor.text.length) {
    const column = editor.cursor - lineStart(editor)
    return moved(editor, Math.min(end + 1 + column, lineEnd(moved(editor, end + 1))))
  }
  if (editor.shown === undefined) return editor
  const index = editor.shown + 1
  return recalled(editor, index < editor.history.length ? index : undefined)
}

const wordStart = ({ text, cursor }: Editor) => /\S*\s*$/.exec(text.slice(0, cursor))?.index ?? 0

const named: Readonly<Record<string, (editor: Editor) => Editor>> = {
  left: (editor) => moved(editor, before(editor.text, editor.cursor)),
  right: (editor) => moved(editor, after(editor.text, editor.cursor)),
  home: (editor) => moved(editor, lineStart(editor)),
  end: (editor) => moved(editor, lineEnd(editor)),
  up,
  down,
  backspace: (editor) => cut(editor, before(editor.text, editor.cursor), editor.cursor),
  delete: (editor) => cut(editor, editor.cursor, after(editor.text, editor.cursor)),
  enter: (editor) => insert(editor, "\n")
}

const controls: Readonly<Record<string, (editor: Editor) => Editor>> = {
  a: (editor) => moved(editor, lineStart(editor)),
  e: (editor) => moved(editor, lineEnd(editor)),
  b: (editor) => moved(editor, before(editor.text, editor.cursor)),
  f: (editor) => moved(editor, after(editor.text, editor.cursor)),
  d: (editor) => cut(editor, editor.cursor, after(editor.text, editor.cursor)),
  h: (editor) => cut(editor, before(editor.text, editor.cursor), editor.cursor),
  k: (editor) => cut(editor, editor.cursor, lineEnd(editor)),
  p: up,
  n: down,
  u: (editor) => cut(editor, lineStart(editor), editor.cursor),
  w: (editor) => cut(editor, wordStart(editor), editor.cursor)
}

const submit = ({ text, history }: Editor): Edited => {
  const isNew = text.trim() !== "" && history.at(-1) !== text
  return [{ ...emptyEditor, history: isNew ? [...history, text].slice(-200) : history }, text]
}

const paste = (editor: Editor, key: Key): Editor => {
  const { pasted = "" } = editor
  if (key.name !== "paste-end") return { ...editor, pasted: pasted + (key.text ?? "") }
  return insert({ ...editor, pasted: undefined }, clean(pasted))
}

export const press = (editor: Editor, key: Key): Edited => {
  if (key.name === "paste-start") return [{ ...editor, pasted: "" }, undefined]
  if (editor.pasted !== undefined) return [paste(editor, key), undefined]
  if (key.name === "return") return key.meta ? [insert(editor, "\n"), undefined] : submit(editor)
  const act = key.ctrl ? controls[key.name] : named[key.name]
  if (act !== undefined) return [act(editor), undefined]
  if (key.ctrl || key.meta || key.text === undefined) return [editor, undefined]
  return [insert(editor, clean(key.text)), undefined]
}
