/** What yargs, the parser of Gemini CLI (0.61.0) and OpenCode (1.18.33), takes for flags; pure. */

/**
 * The names of the flags in an argument, as the CLI's help writes them. `--approvalMode=x` is `--approval-mode`;
 * `---yolo`, `--yolo.x=1` and `--no-yolo` are `--yolo`, `--y` is `-y`, and `-dy` is `-d` and `-y`.
 */
export const yargsFlags = (argument: string): ReadonlyArray<string> => {
  const [, dashes = "", text = ""] = /^(-*)([^=]*)/.exec(argument) ?? []
  if (dashes === "" || (dashes === "-" && text === "")) return []
  if (dashes === "-") return Array.from(text, (letter) => `-${letter}`)
  const kebab = (text.split(".", 1)[0] ?? "").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  if (kebab === "") return ["--"]
  const name = kebab.replace(/^no-/, "")
  return [name.length === 1 ? `-${name}` : `--${name}`]
}
