/** Keys in short: a text is typed, `<ctrl-c>` is a key. */
import { type Editor, type Key, press } from "../../../src/program/chat/editor.ts"

const output: Readonly<Record<string, string>> = { return: "\r", enter: "\n" }

export const keysOf = (input: string): ReadonlyArray<Key> => {
  const name = /^<(.+)>$/.exec(input)?.[1]
  if (name === undefined) {
    return Array.from(input, (text) => ({ text, name: text === "\t" ? "tab" : text, ctrl: false, meta: false }))
  }
  if (name === "ctrl-j") return [{ text: "\n", name: "enter", ctrl: false, meta: false }]
  const [, modifier, key = name] = /^(ctrl|alt)-(.+)$/.exec(name) ?? []
  return [
    {
      text: modifier === undefined ? output[key] : undefined,
      name: key,
      ctrl: modifier === "ctrl",
      meta: modifier === "alt"
    }
  ]
}

/** The text that these keys submit. */
export const sendOf = (keys: ReadonlyArray<string>, before: Editor): ReadonlyArray<string> => {
  let editor = before
  return keys.flatMap(keysOf).flatMap((key) => {
    const [next, text] = press(editor, key)
    editor = next
    return text === undefined ? [] : [text]
  })
}
