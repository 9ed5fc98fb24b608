/** What is asked of the terminal: nothing that an agent wrote is asked of it. */
import { expect, it } from "vitest"
import { clipboardText } from "../../../src/program/chat/terminalText.ts"
import { printable } from "../../../src/program/sequences.ts"

it("what is copied has no control that could end a shell's bracketed paste, and keeps its lines", () => {
  const written = printable(clipboardText([{ _tag: "Clipboard", text: "ls\n\trm\u001b[201~\nreboot 👍🏽" }]))
  const [, base64 = ""] = /^\x1b\]52;c;([A-Za-z0-9+/=]+)\x07$/.exec(written) ?? []
  expect(Buffer.from(base64, "base64").toString()).toBe("ls\n\trm\\u001b[201~\nreboot 👍🏽")
})
