/**
 * The output of `--completions`: functions of the shell that ask `reins complete` for candidates, and the words that they
 * pass. The first line of the answer names its kind: `files` and `directories` are completed by the shell itself; after
 * `words` follow candidates, one a line.
 */
/** Bash breaks words at `=` and `:`, and 3.2 of macOS has no `mapfile`. */
const bash = `_reins() {
  local IFS=$'\\n' kind line cur="$2"
  local -a lines=()
  COMPREPLY=()
  while read -r line; do lines+=("$line"); done < <(reins complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  kind="\${lines[0]}"
  case "$kind" in
    files) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")) ;;
    directories) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$cur")) ;;
    words)
      for line in "\${lines[@]:1}"; do COMPREPLY+=("$(printf '%q' "$line")"); done
      [[ "\${#COMPREPLY[@]}" == 1 && "\${COMPREPLY[0]}" == *= ]] && compopt -o nospace 2>/dev/null
      ;;
  esac
}
complete -F _reins reins
`

const zsh = `(( $+functions[compdef] )) || { autoload -U compinit && compinit }
_reins() {
  local -a lines
  lines=("\${(@f)$(reins complete zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  local kind=$lines[1]
  lines=("\${(@)lines[2,-1]}")
  [[ $words[CURRENT] == --*=* ]] && compset -P '*='
  case $kind in
    files) _files ;;
    directories) _files -/ ;;
    words) (( $#lines )) && compadd -- "\${(@)lines}" ;;
    *) return 1 ;;
  esac
}
compdef _reins reins
`

const fish = `function __reins_complete
  set -l words (commandline -opc)
  set -e words[1]
  set -l current (commandline -ct)
  set -l lines (reins complete fish -- $words "$current" 2>/dev/null)
  set -l kind $lines[1]
  set -e lines[1]
  set -l before (string match -r -- '^--[^=]*=' "$current")
  set -l value (string replace -r -- '^--[^=]*=' '' "$current")
  switch "$kind"
    case files
      for path in (complete -C "'' $value")
        printf '%s%s\\n' "$before" $path
      end
    case directories
      for path in (__fish_complete_directories "$value")
        printf '%s%s\\n' "$before" $path
      end
    case words
      test (count $lines) -gt 0; and printf '%s\\n' $lines
  end
end
complete -c reins -f -a '(__reins_complete)'
`

export const scripts = { bash, zsh, fish } as const
export type Shell = keyof typeof scripts

/** Bash breaks `--agent=claude` and `a:b` into three words. */
const isBreak = (word: string) => /^[=:]+$/.test(word)
/** Removes quotes and backslashes, which are typed but not part of the word. */
const unquoted = (word: string) => word.replace(/\\(.)/g, "$1").replace(/^["']|["']$/g, "")

export interface ShellWords {
  readonly words: ReadonlyArray<string>
  /** Length of the start of the last word that the shell does not replace. */
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

/** Bash and zsh replace only the part after `=`; fish replaces the word. */
export const asShell = (shell: Shell, candidates: ReadonlyArray<string>, before: string, length: number) => {
  const whole = candidates.map((candidate) => before + candidate)
  if (shell === "fish") return whole
  return shell === "bash" ? whole.map((candidate) => candidate.slice(length)) : candidates
}
