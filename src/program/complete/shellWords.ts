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

export const shellWords = (shell: Shell, given: ReadonlyArray<string>): ShellWords => {
  if (shell !== "bash") return { words: given, kept: 0 }
  const words: Array<string> = []
  let kept = 0
  for (const [at, word] of given.entries()) {
    const last = words.at(-1)
    const isGlued = last !== undefined && (isBreak(word) || isBreak(given[at - 1] ?? ""))
    if (!isGlued) {
      words.push(unquoted(word))
      kept = 0
      continue
    }
    const text = unquoted(word)
    kept = isBreak(word) ? last.length + word.length : last.length
    words[words.length - 1] = last + text
  }
  return { words, kept }
}

/** Bash and zsh replace what stands behind `=` alone; fish replaces the word. */
export const asShell = (shell: Shell, candidates: ReadonlyArray<string>, before: string, kept: number) => {
  const whole = candidates.map((candidate) => before + candidate)
  if (shell === "fish") return whole
  return shell === "bash" ? whole.map((candidate) => candidate.slice(kept)) : candidates
}
