/**
 * The output of `--completions`: functions of the shell that ask `reins complete` for candidates. The first line of its
 * answer names their kind: `files` and `directories` are completed by the shell itself; `words` follow, one a line.
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
