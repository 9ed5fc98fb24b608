/** Shift-Enter as terminals send it, through Node's own parser of keys. */

import { emitKeypressEvents } from "node:readline"
import { PassThrough } from "node:stream"
import { expect, it } from "vitest"
import type { Key } from "../../../src/program/chat/editor.ts"
import { readKey } from "../../../src/program/chat/terminal.ts"

interface NodeKey {
  readonly name?: string
  readonly ctrl?: boolean
  readonly meta?: boolean
  readonly shift?: boolean
  readonly sequence?: string
}

const keysOf = (typed: string): ReadonlyArray<Key> => {
  const input = new PassThrough()
  emitKeypressEvents(input)
  const keys: Array<Key> = []
  let pending: string | undefined
  input.on("keypress", (text: string | undefined, key: NodeKey) => {
    const { name = "", ctrl = false, meta = false, shift = false, sequence = "" } = key
    const [next, read] = readKey(pending, { text, name, ctrl, meta, shift, sequence })
    pending = next
    keys.push(...read)
  })
  input.emit("data", Buffer.from(typed))
  return keys
}

const newLine = { text: undefined, name: "return", ctrl: false, meta: true }

it.each([
  ["kitty", "\x1b[13;2u"],
  ["xterm", "\x1b[27;2;13~"]
])("begins a new line: %s", (_, sequence) => {
  expect(keysOf(`a${sequence}b`)).toMatchObject([{ text: "a" }, newLine, { text: "b" }])
})

it.each([
  ["another key with a modifier leaks no text", "\x1b[27;2;9~x", ["x"]],
  ["a sequence that is cut off swallows no more than itself", "\x1b[27;2;13xy", ["y"]],
  ["text that looks like it", "13;2u", ["1", "3", ";", "2", "u"]]
])("%s", (_, typed, texts) => {
  expect(keysOf(typed).map(({ text }) => text)).toEqual(texts)
})

it("Shift-Tab has a name of its own", () => {
  expect(keysOf("\x1b[Z\t").map(({ name }) => name)).toEqual(["shift-tab", "tab"])
})
