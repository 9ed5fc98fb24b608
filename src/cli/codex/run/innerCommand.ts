/**
 * The command that Codex (0.169.0) shows inside the shell that runs it → the text that this shell runs; pure. Codex joins the
 * three words as Rust's shlex quotes them, so one word can be several pieces in different quotes:
 * `/bin/bash -lc 'echo '"'it'\"'\"'s'"`. Any other form, or another program, is uncertain.
 */
export interface InnerCommand {
  /** As the shell reads it; if that is uncertain, as Codex shows it. */
  readonly text: string
  /** False if the executed command is unknown: no rule may allow it by its text; every rule that denies commands applies. */
  readonly isCertain: boolean
}

/** A program of another name or in another directory may do anything with the text. */
const directories = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin"]
const names = ["bash", "sh", "zsh"]
const shells: ReadonlySet<string> = new Set(directories.flatMap((folder) => names.map((name) => `${folder}/${name}`)))

/** One piece of a word: of harmless characters, in single quotes, or in double quotes with only the escapes these have. */
const piece = /([\w+\-./:@\]]+)|'([^']*)'|"([^"\\$`]*(?:\\["\\$`][^"\\$`]*)*)"/y

/** The words of a joined command; undefined for another form. */
const wordsOf = (joined: string): ReadonlyArray<string> | undefined => {
  const words: Array<string> = []
  for (let at = 0; ; at++) {
    let word = ""
    const from = at
    while (at < joined.length && joined[at] !== " ") {
      piece.lastIndex = at
      const found = piece.exec(joined)
      if (found === null) break
      word += found[1] ?? found[2] ?? (found[3] ?? "").replace(/\\(["\\$`])/g, "$1")
      at = piece.lastIndex
    }
    if (at === from) return undefined
    words.push(word)
    if (at === joined.length) return words
    if (joined[at] !== " ") return undefined
  }
}

/** The usual form, one quoted word after the shell: the same result as `wordsOf`, in a third of the time. */
const usual = new RegExp(
  String.raw`^(?:${directories.join("|")})/(?:${names.join("|")}) -l?c (?:'([^']*)'|"([^"\\$\`]*)")$`
)

export const innerCommand = (command: string): InnerCommand => {
  const found = usual.exec(command)
  const word = found?.[1] ?? found?.[2]
  if (word !== undefined) return { text: word, isCertain: true }
  const [shell = "", option, text, ...others] = wordsOf(command) ?? []
  const isKnown = shells.has(shell) && (option === "-lc" || option === "-c") && others.length === 0
  return isKnown && text !== undefined ? { text, isCertain: true } : { text: command, isCertain: false }
}
