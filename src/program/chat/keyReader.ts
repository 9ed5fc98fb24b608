/**
 * Keys as Node's parser gives them → keys of the editor; pure. It has no name for Shift-Enter: kitty's `ESC[13;2u` is one
 * nameless key, xterm's `ESC[27;2;13~` a nameless key and three characters.
 */
import type { Key } from "./editor.ts"

export interface RawKey extends Key {
  readonly shift: boolean
  /** All of it, as the terminal sent it. */
  readonly sequence: string
}

/** The characters of a sequence that Node's parser has cut off; undefined outside of one. */
export type Pending = string | undefined

const modified = "\x1b[27;"
const longest = 8

const newLine: Key = { text: undefined, name: "return", ctrl: false, meta: true }

const keyOf = ({ text, name, ctrl, meta, shift }: RawKey): Key => ({
  text,
  name: shift && name === "tab" ? "shift-tab" : name,
  ctrl,
  meta
})

export const readKey = (pending: Pending, raw: RawKey): readonly [Pending, ReadonlyArray<Key>] => {
  if (pending !== undefined && raw.sequence.length === 1) {
    const all = pending + raw.sequence
    if (/[\d;]$/.test(all) && all.length < longest + modified.length) return [all, []]
    return [undefined, /^\x1b\[27;\d;13~$/.test(all) ? [newLine] : []]
  }
  if (/^\x1b\[13;\d+u$/.test(raw.sequence)) return [undefined, [newLine]]
  if (raw.sequence.startsWith(modified) && /;$/.test(raw.sequence)) return [raw.sequence, []]
  return [undefined, [keyOf(raw)]]
}
