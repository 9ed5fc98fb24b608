/**
 * Commands that a shell may run with a text, for rules that deny: after operators, in substitutions and here-documents, and
 * as arguments of `sudo`, `bash -c` and the like. Values of variables, and what a program does with its arguments, cannot be
 * found in a text. Pure; never throws.
 */
interface Piece {
  readonly words: ReadonlyArray<string>
  /** As it is written. */
  readonly raw: string
}

/** The command that is being read at one depth of substitutions. */
interface Frame {
  readonly close: ")" | "`" | ""
  from: number
  words: Array<string>
  word: string | undefined
  isQuoted: boolean
  /** The next word is the target of a redirection. */
  isTarget: boolean
}

interface Reading {
  readonly text: string
  /** Whether `$'…'` has escapes. */
  readonly escapes: boolean
  readonly pieces: Array<Piece>
  readonly outer: Array<Frame>
  frame: Frame
}

const frameAt = (from: number, close: Frame["close"]): Frame => ({
  close,
  from,
  words: [],
  word: undefined,
  isQuoted: false,
  isTarget: false
})

const append = (frame: Frame, text: string) => {
  frame.word = (frame.word ?? "") + text
}

const endWord = (frame: Frame) => {
  if (frame.word === undefined) return
  // An empty word may come from an empty substitution.
  if (!frame.isTarget && frame.word !== "") frame.words.push(frame.word)
  frame.isTarget = false
  frame.word = undefined
}

const endCommand = ({ frame, pieces, text }: Reading, at: number) => {
  endWord(frame)
  if (frame.words.length > 0) pieces.push({ words: frame.words, raw: text.slice(frame.from, at) })
  frame.words = []
  frame.isTarget = false
  frame.from = at + 1
}

const enter = (reading: Reading, from: number, close: Frame["close"]): number => {
  append(reading.frame, "")
  reading.outer.push(reading.frame)
  reading.frame = frameAt(from, close)
  return from
}

const leave = (reading: Reading, at: number): number => {
  endCommand(reading, at)
  reading.frame = reading.outer.pop() ?? frameAt(at + 1, "")
  return at + 1
}

/** Reads single quotes; gives the position after them, or the end of the text. */
const literal = (reading: Reading, from: number, escapes: boolean): number => {
  const { text, frame } = reading
  append(frame, "")
  for (let at = from; at < text.length; at++) {
    if (text[at] === "'") return at + 1
    if (escapes && text[at] === "\\") at++
    append(frame, text[at] ?? "")
  }
  return text.length
}

const escaped = ({ text, frame }: Reading, at: number): number => {
  const next = text[at + 1] ?? ""
  // An escaped line break is dropped; an escaped backtick belongs to an inner substitution.
  if (next !== "\n") append(frame, next)
  return at + 2
}

const redirection = /[<>|&-]*/y

const redirect = ({ text, frame }: Reading, at: number): number => {
  if (frame.word !== undefined && /^\d*$/.test(frame.word)) frame.word = undefined
  endWord(frame)
  frame.isTarget = true
  redirection.lastIndex = at
  redirection.test(text)
  return redirection.lastIndex
}

/** Syntax that is the same inside and outside of double quotes; undefined without any at this position. */
const anywhere = (reading: Reading, at: number): number | undefined => {
  const { text, frame } = reading
  const char = text[at]
  if (char === "`") return frame.close === "`" ? leave(reading, at) : enter(reading, at + 1, "`")
  if (char === "\\" && text[at + 1] === "`" && frame.close === "`") {
    endCommand(reading, at + 1)
    return at + 2
  }
  if (char === "\\") return escaped(reading, at)
  if (char === "$" && text[at + 1] === "(") return enter(reading, at + 2, ")")
  if (char !== '"') return undefined
  append(frame, "")
  frame.isQuoted = !frame.isQuoted
  return at + 1
}

const operator = (reading: Reading, at: number): number => {
  const { text, frame } = reading
  const char = text[at]
  if (char === ")" && frame.close === ")") return leave(reading, at)
  if (char === "&" && text[at + 1] === ">") return redirect(reading, at)
  endCommand(reading, at)
  return char === "(" ? enter(reading, at + 1, ")") : at + 1
}

/** For a shell, other white space such as `\r` is part of a word, and a `#` after it starts no comment. */
const beginsWord = (text: string, at: number) => at === 0 || /[ \t\n;&|()<>`]/.test(text[at - 1] ?? "")

const outside = (reading: Reading, at: number): number => {
  const { text, frame, escapes } = reading
  const char = text[at] ?? ""
  if (char === "'") return literal(reading, at + 1, false)
  if (escapes && char === "$" && text[at + 1] === "'") return literal(reading, at + 2, true)
  if (/[;&|()\n\r]/.test(char)) return operator(reading, at)
  if ((char === "<" || char === ">") && text[at + 1] === "(") return enter(reading, at + 2, ")")
  if (char === "<" || char === ">") return redirect(reading, at)
  if (char === "#" && frame.word === undefined && beginsWord(text, at)) {
    const end = text.indexOf("\n", at)
    return end === -1 ? text.length : end
  }
  if (/\s/.test(char)) endWord(frame)
  else append(frame, char)
  return at + 1
}

/**
 * Splits a shell text at every operator into commands, and those into words without quotes; substitutions are commands of
 * their own. Never fails on bad syntax: rules that deny need rather too many commands than too few.
 */
const splitCommands = (text: string, escapes: boolean): ReadonlyArray<Piece> => {
  const reading: Reading = { text, escapes, pieces: [], outer: [], frame: frameAt(0, "") }
  let at = 0
  while (at < text.length) {
    const next = anywhere(reading, at)
    if (next !== undefined) at = next
    else if (reading.frame.isQuoted) append(reading.frame, text[at++] ?? "")
    else at = outside(reading, at)
  }
  for (;;) {
    endCommand(reading, text.length)
    const frame = reading.outer.pop()
    if (frame === undefined) return reading.pieces
    reading.frame = frame
  }
}

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
