/**
 * The commands that a shell may run with a text, for rules that deny: after operators, in substitutions and here-documents,
 * and as arguments of `sudo`, `bash -c` and the like. Values of variables, and what a program does with its arguments,
 * cannot be found in a text. Pure; never throws.
 */
import { type Piece, splitCommands } from "./splitCommands.ts"

/** Words without quotes, separated by one space; a pattern may match from any of the starts on. */
export interface CandidateCommand {
  readonly text: string
  readonly starts: ReadonlyArray<number>
}

/** Programs that run their arguments, or a script among them. */
const runners: ReadonlySet<string> = new Set(
  (
    "sudo doas env command builtin exec eval nohup nice ionice timeout stdbuf setsid xargs parallel find watch time " +
    "chroot unshare nsenter su script flock ssh trap entr strace busybox sh bash zsh dash ksh ash fish source ."
  ).split(" ")
)

/** Words that may precede a command; a variable or substitution may be empty. */
const prefixWord =
  /^(?:|\$\{?[\w*@]+\}?|[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=.*|!|\{|\}|if|then|elif|else|while|until|do|time|coproc|function)$/s

const maxDepth = 4

const startsOf = (words: ReadonlyArray<string>, isRunner: boolean, first: number): ReadonlyArray<number> => {
  const starts: Array<number> = [0]
  let at = 0
  for (const [index, word] of words.entries()) {
    // With and without its directory: `/bin/rm` is `rm`.
    if (index === first || (isRunner && index > first)) starts.push(at, at + word.lastIndexOf("/") + 1)
    at += word.length + 1
  }
  return starts
}

const candidates = (piece: Piece, depth: number): ReadonlyArray<CandidateCommand> => {
  const { words } = piece
  const first = words.findIndex((word) => !prefixWord.test(word))
  const name = first === -1 ? "" : (words[first] ?? "")
  const isRunner = runners.has(name.slice(name.lastIndexOf("/") + 1))
  const own = [
    { text: words.join(" "), starts: startsOf(words, isRunner, first) },
    { text: piece.raw.trim(), starts: [0] }
  ]
  if (!isRunner || depth >= maxDepth) return own
  const scripts = words.filter((word, index) => index > first && /[\s;&|<>()`$]/.test(word))
  return [...own, ...scripts.flatMap((script) => commandsIn(script, depth + 1))]
}

export const commandsIn = (text: string, depth = 0): ReadonlyArray<CandidateCommand> => {
  const texts = new Set([text])
  // A here-document may be a script, and a quote in one has no effect.
  if (text.includes("<<")) for (const line of text.split("\n")) texts.add(line)
  // Only some shells know escapes in such quotes: both readings count.
  const readings = text.includes("$'") ? [true, false] : [false]
  return [...texts].flatMap((each) =>
    readings.flatMap((escapes) => splitCommands(each, escapes).flatMap((piece) => candidates(piece, depth)))
  )
}
