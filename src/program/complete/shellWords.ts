/** The words of a shell as the program would get them, and candidates as the shell wants them; pure. */
import type { Shell } from "./scripts.ts"

/** Bash breaks `--agent=claude` and `a:b` into three words. */
const isBreak = (word: string) => /^[=:]+$/.test(word)

/** Quotes and backslashes that are typed, but not part of the word. */
const unquoted = (word: string) => word.replace(/\\(.)/g, "$1").replace(/^["']|["']$/g, "")

export interface ShellWords {
  readonly words: ReadonlyArray<string>
  /** How much of the last word the shell does not replace. */
  readonly kept: number
}

export const shellWords = (shell: Shell, input: ReadonlyArray<string>): ShellWords => {
  if (shell !== "bash") return { words: input, kept: 0 }
  const words: Array<string> = []
  let length = 0
  for (const [at, word] of input.entries()) {
    const last = words.at(-1)
    const isGlued = last !== undefined && (isBreak(word) || isBreak(input[at - 1] ?? ""))
    if (!isGlued) {
      words.push(unquoted(word))
      length = 0
      continue
    }
    const text = unquoted(word)
    length = isBreak(word) ? last.length + word.length : last.length
    words[words.length - 1] = last + text
  }
  return { words, kept: length }
}

/** Bash and zsh replace what stands behind `=` alone; fish replaces the word. */
export const asShell = (shell: Shell, candidates: ReadonlyArray<string>, before: string, length: number) => {
  const whole = candidates.map((candidate) => before + candidate)
  if (shell === "fish") return whole
  return shell === "bash" ? whole.map((candidate) => candidate.slice(length)) : candidates
}
