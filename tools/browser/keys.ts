/** A key by its name in `KeyboardEvent.code`, with what is held: the events that a keyboard would give. Pure. */
export type Key = string

const held: Readonly<Record<string, number>> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 }

/** Windows' number of the key, without which Chromium moves no focus and types nothing. */
const known: Readonly<Record<string, { readonly key: string; readonly number: number; readonly text?: string }>> = {
  Enter: { key: "Enter", number: 13, text: "\r" },
  Tab: { key: "Tab", number: 9 },
  Escape: { key: "Escape", number: 27 },
  Space: { key: " ", number: 32, text: " " },
  ArrowUp: { key: "ArrowUp", number: 38 },
  ArrowDown: { key: "ArrowDown", number: 40 },
  Period: { key: ".", number: 190, text: "." },
  Slash: { key: "/", number: 191, text: "/" },
  Question: { key: "?", number: 191, text: "?" }
}

const partsOf = (code: string) => {
  const letter = /^Key([A-Z])$/.exec(code)?.[1]
  if (letter !== undefined)
    return { key: letter.toLowerCase(), number: letter.charCodeAt(0), text: letter.toLowerCase() }
  const found = known[code]
  if (found === undefined) throw new Error(`no such key here: ${code}`)
  return found
}

export const keyEvents = (name: Key): ReadonlyArray<object> => {
  const names = name.split("+")
  const code = names.at(-1) ?? ""
  const modifiers = names.slice(0, -1).reduce((sum, each) => sum + (held[each] ?? 0), 0)
  const { key, number, text } = partsOf(code)
  const event = { key, code: code === "Question" ? "Slash" : code, windowsVirtualKeyCode: number, modifiers }
  const types = (modifiers & ~8) === 0 && text !== undefined ? { text } : {}
  return [
    { type: "keyDown", ...event, ...types },
    { type: "keyUp", ...event }
  ]
}
