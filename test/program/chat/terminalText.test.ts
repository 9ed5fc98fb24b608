/** Requests to the terminal: none comes from an agent's text. */
import { expect, it } from "vitest"
import { clipboardText } from "../../../src/program/chat/drawChat.ts"
import { printable } from "../../../src/program/sequences.ts"

it("what is copied has no control that could end a shell's bracketed paste, and keeps its lines", () => {
  const output = printable(clipboardText([{ _tag: "Clipboard", text: "ls\n\trm\u001b[201~\nreboot 👍🏽" }]))
  const [, base64 = ""] = /^\x1b\]52;c;([A-Za-z0-9+/=]+)\x07$/.exec(output) ?? []
  expect(Buffer.from(base64, "base64").toString()).toBe("ls\n\trm\\u001b[201~\nreboot 👍🏽")
})
