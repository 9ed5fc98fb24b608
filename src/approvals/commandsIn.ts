/**
 * The commands that a shell may run with a text, for rules that deny: those behind operators, in substitutions and
 * here-documents, and those handed to `sudo`, `bash -c` and the like. What a variable holds, or what a program makes of
 * its arguments, no reading of a text can tell. Pure; throws for no text.
 */
import { type Piece, splitCommands } from "./splitCommands.ts"

/** Words without quotes, one blank between them; a pattern may begin at any of the starts. */
export interface CandidateCommand {
  readonly text: string
  readonly starts: ReadonlyArray<number>
}

/** What runs its arguments, or a text among them. */
const runners: ReadonlySet<string> = new Set(
  (
    "sudo doas env command builtin exec eval nohup nice ionice timeout stdbuf setsid xargs parallel find watch time " +
    "chroot unshare nsenter su script flock ssh trap entr strace busybox sh bash zsh dash ksh ash fish source ."
  ).split(" ")
)

/** What may stand before a command without being one; a variable or a substitution may be empty. */
const leading =
  /^(?:|\$\{?[\w*@]+\}?|[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=.*|!|\{|\}|if|then|elif|else|while|until|do|time|coproc|function)$/s

const deepest = 4

const startsOf = (words: ReadonlyArray<string>, isRunner: boolean, first: number): ReadonlyArray<number> => {
  const starts: Array<number> = [0]
  let at = 0
  for (const [index, word] of words.entries()) {
    // With its folder and without: `/bin/rm` is `rm`.
    if (index === first || (isRunner && index > first)) starts.push(at, at + word.lastIndexOf("/") + 1)
    at += word.length + 1
  }
  return starts
}

const candidates = (piece: Piece, depth: number): ReadonlyArray<CandidateCommand> => {
  const { words } = piece
  const first = words.findIndex((word) => !leading.test(word))
  const name = first === -1 ? "" : (words[first] ?? "")
  const isRunner = runners.has(name.slice(name.lastIndexOf("/") + 1))
  const own = [
    { text: words.join(" "), starts: startsOf(words, isRunner, first) },
    { text: piece.raw.trim(), starts: [0] }
  ]
  if (!isRunner || depth >= deepest) return own
  const scripts = words.filter((word, index) => index > first && /[\s;&|<>()`$]/.test(word))
  return [...own, ...scripts.flatMap((script) => commandsIn(script, depth + 1))]
}

export const commandsIn = (text: string, depth = 0): ReadonlyArray<CandidateCommand> => {
  const texts = new Set([text])
  // A here-document may be a script, and a quote in one opens nothing.
  if (text.includes("<<")) for (const line of text.split("\n")) texts.add(line)
  // Only some shells know that such quotes have escapes.
  const readings = text.includes("$'") ? [true, false] : [false]
  return [...texts].flatMap((each) =>
    readings.flatMap((escapes) => splitCommands(each, escapes).flatMap((piece) => candidates(piece, depth)))
  )
}
