/** Keys → a text and its cursor, written as `|`. */
import { describe, expect, it } from "vitest"
import { type Editor, emptyEditor, press } from "../../../src/program/chat/editor.ts"
import { keysOf, sendOf } from "./keys.ts"

const typed = (keys: ReadonlyArray<string>, before: Editor = emptyEditor) => {
  let editor = before
  const sent: Array<string> = []
  for (const key of keys.flatMap(keysOf)) {
    const [next, text] = press(editor, key)
    editor = next
    if (text !== undefined) sent.push(text)
  }
  return { shown: `${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)}`, sent, editor }
}

describe("keys", () => {
  it.each([
    ["write", ["hello"], "hello|"],
    ["write where the cursor is", ["helo", "<left>", "l"], "hell|o"],
    ["delete to the left", ["abc", "<left>", "<backspace>"], "a|c"],
    ["delete whole characters", ["a👍🏽", "<backspace>"], "a|"],
    ["delete to the right", ["abc", "<home>", "<delete>"], "|bc"],
    ["stop at the ends", ["a", "<right>", "<left>", "<left>", "<backspace>"], "|a"],
    ["go to the ends of a line", ["ab", "<alt-return>", "cd", "<ctrl-a>", "x", "<ctrl-e>", "y"], "ab\nxcdy|"],
    ["go from line to line", ["abc", "<ctrl-j>", "d", "<up>", "x", "<down>", "y"], "axbc\ndy|"],
    ["cut to the beginning", ["one two", "<left>", "<ctrl-u>"], "|o"],
    ["cut to the end", ["one", "<left>", "<left>", "<ctrl-k>"], "o|"],
    ["cut a word", ["one two ", "<ctrl-w>"], "one |"],
    ["that write nothing write nothing", ["a", "<f5>", "<ctrl-x>", "<alt-x>", "<escape>"], "a|"],
    ["of a paste come in one piece", ["<paste-start>", "a\tb", "<return>", "<ctrl-j>", "c", "<paste-end>"], "a  b\nc|"],
    ["of a paste that is not over are not shown", ["a", "<paste-start>", "b"], "a|"]
  ])("%s", (_, keys, visible) => {
    expect(typed(keys)).toMatchObject({ shown: visible, sent: [] })
  })

  it("send a text off and begin anew", () => {
    expect(typed(["one", "<return>", "t"])).toMatchObject({ sent: ["one"], shown: "t|" })
  })

  it("call earlier texts back, and what was being typed", () => {
    const { editor } = typed(["one", "<return>", "two", "<return>", "two", "<return>", "new"])
    expect(typed(["<up>"], editor).shown).toBe("two|")
    expect(typed(["<up>", "<up>", "<up>"], editor).shown).toBe("one|")
    expect(typed(["<up>", "<up>", "<down>", "<down>", "<down>"], editor).shown).toBe("new|")
    expect(sendOf(["<up>", "<up>", "!", "<return>"], editor)).toEqual(["one!"])
  })
})
