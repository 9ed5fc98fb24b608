/** Requests to the terminal besides text: clipboard, bell, alternate screen, one piece at a time; pure. */
import { harmless } from "../../contract/text/harmless.ts"
import { sequence } from "../sequences.ts"
import type { Action } from "./actions.ts"

/** `OSC 52`, which a terminal may ignore. What is pasted is what was shown: no control can end a shell's bracketed paste. */
export const clipboardText = (actions: ReadonlyArray<Action>): string =>
  actions
    .flatMap((action) => (action._tag === "Clipboard" ? [Buffer.from(harmless(action.text)).toString("base64")] : []))
    .map((base64) => sequence(`\x1b]52;c;${base64}\x07`))
    .join("")

export const bell = sequence("\x07")

export const alternate = { on: sequence("\x1b[?1049h"), off: sequence("\x1b[?1049l") }

/** A terminal that knows it (mode 2026) shows all of it at once. */
export const inOnePiece = (text: string): string => sequence("\x1b[?2026h") + text + sequence("\x1b[?2026l")

/** The whole alternate screen, from its first row; the cursor stays at the end. */
export const wholeScreen = (lines: ReadonlyArray<string>): string =>
  sequence("\x1b[H") + lines.map((line) => `${line}${sequence("\x1b[K")}`).join("\n")
